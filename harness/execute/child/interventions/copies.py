"""The adjoint of a copy as Warp 1.17 and later define it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....record import memory
from ....record.backward import Bound
from .base import Intervention


class AccumulateCopies(Intervention):
    """Adjoints of ``wp.copy``, ``wp.clone`` and ``assign`` add to the source's gradient and clear the destination's.

    Before 1.17 they overwrite the one and leave the other. ``events``: the copies concerned; None: all.
    """

    def __init__(self, events: list[int] | None = None) -> None:
        self._events = None if events is None else set(events)

    def run_adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Warp's own adjoint finds an empty source, so that what it puts there can be added to what was there."""
        arrays = {touch.path: array for touch, array in bound.touches}
        source, dest = arrays.get("src"), arrays.get("dest")
        is_wanted = bound.event.kind == "copy" and (self._events is None or bound.event.seq in self._events)
        if not is_wanted or not self.is_on or source is None or dest is None:
            return run()
        if source.grad is None or dest.grad is None or not memory.is_floating(source):
            return run()
        held, incoming = memory.host_copy(source.grad), memory.host_copy(dest.grad)
        placed = self._placed(source, run)
        # Numbered elements show which of them the copy takes, whatever its offsets are.
        numbers = np.arange(1, incoming.size + 1, dtype=np.float64).reshape(incoming.shape)
        memory.put(dest.grad, numbers.astype(incoming.dtype))
        taken = self._placed(source, run)
        memory.put(source.grad, held + placed)
        if not getattr(dest, "retain_grad", False):
            incoming[np.isin(numbers, taken)] = 0.0
        memory.put(dest.grad, incoming)
        return None

    def _placed(self, source: Any, run: Callable[[], Any]) -> np.ndarray:
        source.grad.zero_()
        run()
        return memory.host_copy(source.grad)
