"""Adjoints that come from differences of the whole program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....record import memory
from ....record.backward import Bound
from .base import Intervention


class MeasuredAdjoint(Intervention):
    """Just before the adjoint of an operation runs, give what it wrote its measured derivative.

    What lies before a link that carries no gradient is then differentiated as if the link did. ``targets`` are (event,
    index of the touch, file with the derivative of the objective).
    """

    def __init__(self, targets: list[tuple[int, int, str]]) -> None:
        self._targets: dict[int, list[tuple[int, str]]] = {}
        for event, index, file in targets:
            self._targets.setdefault(event, []).append((index, file))

    def run_adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Run it on the measured derivative."""
        for index, file in self._targets.get(bound.event.seq, ()):
            gradient = getattr(bound.touches[index][1], "grad", None) if index < len(bound.touches) else None
            if gradient is not None and self.is_on:
                memory.put(gradient, np.load(file).astype(memory.host_view(gradient).dtype))
                self.recorder.invalidate(gradient)
        return run()
