"""Interventions on the life of gradients: when they are zeroed, seeded, counted and read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....record import memory
from ....record.events import Event
from .base import Intervention


class ZeroFirst(Intervention):
    """Before the first backward pass of an iteration every gradient on its tape is zero, but for the seeds.

    ``scope``: "leaves" (arrays no taped operation writes), "intermediates", or "all"; of those only ``buffers``, if
    given. With ``every_backward`` the intermediates are zeroed before each pass.
    """

    def __init__(self, scope: str = "all", every_backward: bool = False, buffers: list[str] | None = None) -> None:
        self._scope = scope
        self._buffers = buffers
        self._every_backward = every_backward
        self._zeroed_in: int | None = None

    def backward_begins(self, event: Event, tape: Any, loss: Any) -> None:
        """Zero what is left over."""
        first = self._zeroed_in != event.iteration
        if not self.is_on or not (first or self._every_backward):
            return
        self._zeroed_in = event.iteration
        bounds = self.log.bound.get(self.recorder.tape_id(tape), [])
        written = {t.buffer for b in bounds for t in b.event.touches if t.writes}
        seeds = {s["buffer"] for s in event.info["seeds"]}
        for bound in bounds:
            for touch, array in bound.touches:
                is_leaf = touch.buffer not in written
                wanted = self._scope == "all" or (self._scope == "leaves") == is_leaf
                wanted = wanted and (self._buffers is None or touch.buffer in self._buffers)
                if wanted and array.grad is not None and touch.buffer not in seeds and (first or not is_leaf):
                    array.grad.zero_()
                    self.recorder.invalidate(array.grad)


class ConsumeGradients(Intervention):
    """After every backward pass, the gradients of arrays from these allocations that no taped operation writes count as
    read by the program: each is then judged as if the array were a parameter.
    """

    def __init__(self, allocations: list[str]) -> None:
        self._allocations = set(allocations)

    def backward_ends(self, event: Event, tape: Any) -> None:
        """Read them."""
        bounds = self.log.bound.get(self.recorder.tape_id(tape), [])
        written = {t.buffer for b in bounds for t in b.event.touches if t.writes}
        found = {t.buffer: a for b in bounds for t, a in b.touches if t.buffer not in written}
        for buffer, array in found.items():
            if buffer.rpartition("#")[0] in self._allocations and array.grad is not None:
                self.recorder.gradient_read(array.grad, "harness", None)


class DropRetainedGradients(Intervention):
    """``retain_grad`` is off for the arrays of ``buffers`` (None: for all)."""

    def __init__(self, buffers: list[str] | None = None) -> None:
        self._buffers = buffers

    def backward_begins(self, event: Event, tape: Any, loss: Any) -> None:
        """Switch it off on everything the tape touches."""
        for bound in self.log.bound.get(self.recorder.tape_id(tape), []):
            for touch, array in bound.touches:
                chosen = self._buffers is None or touch.buffer in self._buffers
                if self.is_on and chosen and getattr(array, "retain_grad", False):
                    array.retain_grad = False


class NewestLaunches(Intervention):
    """A tape that was entered again without reset runs backward over its newest launches alone."""

    def __init__(self) -> None:
        self._entered: dict[int, int] = {}

    def tape_entered(self, tape: Any) -> None:
        """Remember where the newest launches begin."""
        self._entered[self.recorder.tape_id(tape)] = len(tape.launches)

    def backward_begins(self, event: Event, tape: Any, loss: Any) -> None:
        """Drop what earlier iterations recorded."""
        start = self._entered.get(self.recorder.tape_id(tape), 0)
        if start and self.is_on:
            tape.launches[:] = tape.launches[start:]
            self._entered[self.recorder.tape_id(tape)] = 0


class OneBackwardPerLoss(Intervention):
    """A second backward pass on the same computed loss does nothing."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, int]] = set()

    def backward_begins(self, event: Event, tape: Any, loss: Any) -> None:
        """Skip the adjoints of a repeated pass."""
        info = event.info.get("loss")
        if info is None:
            return
        key = (info["buffer"], info["last_write"])
        is_repeat = key in self._seen and self.is_on
        self._seen.add(key)
        self.log.skip = (lambda _bound: True) if is_repeat else None


class ReadAfterBackward(Intervention):
    """The gradients of ``buffers`` count as read when the last backward pass has run, whenever the program reads."""

    def __init__(self, buffers: list[str]) -> None:
        self._buffers = buffers

    def backward_ends(self, event: Event, tape: Any) -> None:
        """Record a read of our own."""
        for key in self._buffers:
            buffer = self.recorder.memory.buffers.get(key)
            array = buffer.owner() if buffer is not None and buffer.owner is not None else None
            if array is not None and array.grad is not None:
                self.recorder.gradient_read(array.grad, "after-backward", None)


class Reseed(Intervention):
    """Manual seeds of the arrays of ``buffers``: times ``factor``, or the contents of ``file`` in their place.

    Seeds that the program passes as ``grads=`` are put back afterwards, so that it finds them as it left them.
    """

    def __init__(self, buffers: list[str], factor: float = 1.0, file: str | None = None) -> None:
        self._buffers = set(buffers)
        self._factor = factor
        self._file = file
        self._displaced: list[tuple[Any, np.ndarray]] = []

    def backward_begins(self, event: Event, tape: Any, loss: Any) -> None:
        """Change the seeds before the pass takes them."""
        if not self.is_on:
            return
        given = self.recorder.control.running_grads
        done: set[str] = set()
        for array, seed in given.items():
            buffer = self.recorder.memory.of(array)
            if buffer is not None and buffer.key in self._buffers:
                done.add(buffer.key)
                self._displaced.append((seed, memory.host_copy(seed)))
                self._change(seed)
        for bound in self.log.bound.get(self.recorder.tape_id(tape), []):
            for touch, array in bound.touches:
                if touch.buffer in self._buffers and touch.buffer not in done and array.grad is not None:
                    done.add(touch.buffer)
                    self._change(array.grad)

    def backward_ends(self, event: Event, tape: Any) -> None:
        """Give the program its own seeds back, unless backward has consumed them."""
        for seed, contents in self._displaced:
            if not memory.is_zero(seed):
                memory.put(seed, contents)
        self._displaced.clear()

    def _change(self, seed: Any) -> None:
        contents = memory.host_copy(seed) if self._file is None else np.load(self._file)
        memory.put(seed, (self._factor * contents).astype(contents.dtype))
