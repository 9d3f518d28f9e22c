"""Interventions that put on the tape what the program left off it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

from ....record import memory
from ....record.backward import Bound
from ....record.events import Event, Touches
from ....record.internals import context
from .base import Intervention


class GiveGradients(Intervention):
    """Every floating-point array, or those of ``buffers``, carries a gradient from its construction on."""

    def __init__(self, buffers: list[str] | None = None) -> None:
        self._buffers = None if buffers is None else set(buffers)

    def array_created(self, array: Any) -> None:
        """Switch the gradient on, unless the array is itself a gradient."""
        buffer = self.recorder.memory.of(array)
        if buffer is None or buffer.gradient_of or array.requires_grad or not memory.is_floating(array):
            return
        if self._buffers is not None and buffer.key not in self._buffers:
            return
        # An alias of memory that already carries one would get a second, separate gradient.
        if isinstance(array.__dict__.get("_ref"), wp.array):
            return
        array.requires_grad = True


class RecordFills(Intervention):
    """``zero_()`` and ``fill_()`` between taped operations become operations whose adjoint clears the gradient."""

    def __init__(self, events: list[int] | None = None) -> None:
        self._events = None if events is None else set(events)

    def after(self, event: Event, touches: Touches) -> None:
        """Append the adjoint to the tape that records at the moment."""
        tape = context.runtime.tape
        if event.kind != "fill" or tape is None or (self._events is not None and event.seq not in self._events):
            return
        array = touches[0][1]
        if array.grad is None:
            return

        def clear() -> None:
            if self.is_on:
                array.grad.zero_()

        tape.launches.append(clear)


class RecordLaunches(Intervention):
    """Launches that were not recorded are: prebuilt ones, and those outside of a tape.

    A launch before a tape goes to the front of the next tape that is entered; a launch after it, to the end of the
    tape on which backward runs.
    """

    def __init__(self, events: list[int]) -> None:
        self._events = set(events)
        self._pending: list[tuple[Event, Touches, list[Any]]] = []

    def before(self, event: Event, touches: Touches) -> None:
        """Note the launch's arguments while they are at hand."""
        if event.seq not in self._events:
            return
        given = self.recorder.control.launch_arguments
        device = given.get("device")
        entry = [
            given["kernel"], given["dim"], given.get("max_blocks", 0), list(given.get("inputs", ())),
            list(given.get("outputs", ())), wp.get_device(device), given.get("block_dim") or 256, {},
        ]  # fmt: skip
        tape = context.runtime.tape
        if tape is not None:
            self._append(tape, len(tape.launches), entry, event, touches)
        else:
            self._pending.append((event, touches, entry))

    def tape_entered(self, tape: Any) -> None:
        """What was launched before belongs to the front."""
        for event, touches, entry in self._pending:
            self._append(tape, len(tape.launches), entry, event, touches)
        self._pending.clear()

    def backward_begins(self, event: Event, tape: Any, loss: Any) -> None:
        """What was launched since the tape closed belongs to its end."""
        self.tape_entered(tape)

    def run_adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Its adjoint runs from the iteration under test on, and leaves nothing behind in earlier ones."""
        return run() if self.is_on or bound.event.seq not in self._events else None

    def _append(self, tape: Any, position: int, entry: list[Any], event: Event, touches: Touches) -> None:
        tape.launches.append(entry)
        self.log.bind(tape, position, event, touches)
