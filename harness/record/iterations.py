"""Where one iteration ends and the next begins, decided while the program runs.

An iteration lies between two updates: a change of a parameter after its gradient was consumed. An update is seen as an
operation that writes the parameter, as changed contents where no operation was seen (a numpy view, torch), or as a new
array that takes the old one's place in the same argument of the same kernel. Copying contents back from the array they
were copied out to is no update: checkpointing programs restore states that way.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .events import Event


@dataclass
class IterationTracker:
    """State machine fed with every event; ``index`` is the current iteration."""

    index: int = 0
    idle_backwards: int = 0
    """Backward passes since the last update."""
    backwards_in_iteration: int = 0
    _consumed: dict[str, int] = field(default_factory=dict)
    """Leaves whose gradient was consumed in this iteration, with the sequence number of the read."""
    _update_seen: bool = False
    _written_on_tape: set[str] = field(default_factory=set)
    _used_on_tape: set[str] = field(default_factory=set)
    _slots: dict[tuple[str, str], str] = field(default_factory=dict)
    _copied_from: dict[str, str] = field(default_factory=dict)
    """Buffers that hold a copy, and of which buffer; nothing else was written to them since."""

    @property
    def completed(self) -> int:
        """Iterations that have ended: the last one with its update, whether or not another begins."""
        return self.index + self._update_seen

    def begins_iteration(self, event: Event, created_at: dict[str, int]) -> bool:
        """True if this operation, about to run, is the first of a new iteration. Advances the index if so."""
        starts = event.tape is not None and event.kind != "adjoint" and bool(self._consumed)
        if starts and (self._update_seen or self._is_replaced(event, created_at)):
            self.index += 1
            self.idle_backwards = 0
            self.backwards_in_iteration = 0
            self._consumed.clear()
            self._written_on_tape.clear()
            self._used_on_tape.clear()
            self._update_seen = False
            return True
        return False

    def _is_replaced(self, event: Event, created_at: dict[str, int]) -> bool:
        for touch in event.touches:
            before = self._slots.get((event.name, touch.path))
            if before not in self._consumed or before == touch.buffer or not touch.has_gradient:
                continue
            if created_at.get(touch.buffer, -1) > self._consumed[before]:
                return True
        return False

    def after(self, event: Event) -> None:
        """Note what an operation did to leaves and slots."""
        is_restored = self.is_restored(event)
        for touch in event.touches:
            if event.tape is not None:
                self._slots[(event.name, touch.path)] = touch.buffer
                self._used_on_tape.add(touch.buffer)
                if touch.writes:
                    self._written_on_tape.add(touch.buffer)
            elif touch.writes and touch.buffer in self._consumed and not is_restored:
                self._update_seen = True
            if touch.writes:
                self._copied_from.pop(touch.buffer, None)
        if event.kind == "copy" and len(event.touches) == 2:
            source, destination = event.touches
            self._copied_from[destination.buffer] = source.buffer

    def is_restored(self, event: Event) -> bool:
        """True if this operation only brings back contents that it finds in a copy of its destination."""
        if event.kind != "copy" or len(event.touches) != 2:
            return False
        source, destination = event.touches
        return self._copied_from.get(source.buffer) == destination.buffer

    def gradient_read(self, primal: str, seq: int) -> None:
        """A gradient was consumed; an intermediate's is not a parameter's.

        Also before backward, once the parameter was used on a tape: then it is an earlier iteration's, or none.
        """
        if primal not in self._written_on_tape and (self.backwards_in_iteration or primal in self._used_on_tape):
            self._consumed.setdefault(primal, seq)

    def is_consumed(self, primal: str) -> bool:
        """True if the gradient of this buffer was consumed in the current iteration."""
        return primal in self._consumed

    def backward(self) -> None:
        """A backward pass begins."""
        self.idle_backwards += 1
        self.backwards_in_iteration += 1
