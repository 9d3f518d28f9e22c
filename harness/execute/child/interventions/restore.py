"""Backward on recorded contents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....record import memory
from ....record.backward import Bound
from ....record.events import Event, Touches
from .base import Intervention


class Restore(Intervention):
    """Before each adjoint, put back the contents its launch read; afterwards, put back what was there.

    ``targets`` are (event, index of the touch, "before" or "after"): which contents to keep while the program runs
    forward, and whether as they were before or after the launch.
    """

    def __init__(self, targets: list[tuple[int, int, str]]) -> None:
        self._targets: dict[int, dict[int, str]] = {}
        for event, index, moment in targets:
            self._targets.setdefault(event, {})[index] = moment
        self._kept: dict[tuple[int, int], np.ndarray] = {}

    def before(self, event: Event, touches: Touches) -> None:
        """Keep what the launch is about to read."""
        self._keep(event, touches, "before")

    def after(self, event: Event, touches: Touches) -> None:
        """Keep what the launch left behind."""
        self._keep(event, touches, "after")

    def _keep(self, event: Event, touches: Touches, when: str) -> None:
        for index, moment in self._targets.get(event.seq, {}).items():
            if moment == when and index < len(touches):
                self._kept[(event.seq, index)] = memory.host_copy(touches[index][1])

    def run_adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Run it on the kept contents."""
        displaced: list[tuple[Any, np.ndarray]] = []
        # One array may stand for two arguments, read and written: what the launch read is what its adjoint needs.
        targets = self._targets.get(bound.event.seq, {})
        for index in sorted(targets, key=lambda i: targets[i] == "before"):
            contents = self._kept.get((bound.event.seq, index))
            if contents is None or index >= len(bound.touches) or not self.is_on:
                continue
            array = bound.touches[index][1]
            displaced.append((array, memory.host_copy(array)))
            self._put(array, contents)
        result = run()
        for array, contents in reversed(displaced):
            self._put(array, contents)
        return result

    def _put(self, array: Any, contents: np.ndarray) -> None:
        memory.put(array, contents)
        self.recorder.invalidate(array)
