"""Which gradients the program consumes, of which parameters, of which objective, in which iteration."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from ..record.events import Event, Recording

_LATEST_READS = 16
"""Gradient reads that a seed is compared with."""


def _is_sum(contents: np.ndarray, first: np.ndarray, second: np.ndarray) -> bool:
    """Two adjoints added up: the array's own, and the one that a later segment sends back."""
    if not np.any(first) or not np.any(second):
        return False
    scale = float(np.abs(contents.astype(np.float64)).max())
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.allclose(first.astype(np.float64) + second, contents, rtol=1e-5, atol=1e-6 * scale))


@dataclass
class Seed:
    """A manual seed of a backward pass."""

    buffer: str
    contents: str
    is_chained: bool
    """Its contents are an adjoint that an earlier backward pass of the program produced."""
    is_zero: bool
    how: str
    dtype: str
    is_borrowed: bool = False
    """Not the program's: this pass has no seed left, and the one of the same pass in an earlier iteration stands in."""


@dataclass
class Backward:
    """One backward pass."""

    event: Event
    ordinal: int
    iteration: int
    loss: dict[str, Any] | None
    seeds: list[Seed]
    nonzero: set[str]
    """Arrays of its tape whose gradient was not zero when it began."""

    @property
    def has_own_seed(self) -> bool:
        """True if the program itself gave it a seed that is not zero."""
        return any(not s.is_zero and not s.is_borrowed for s in self.seeds)


@dataclass
class Consumption:
    """What the program takes for the gradient of one parameter in one iteration."""

    buffer: str
    iteration: int
    gradient: np.ndarray
    reads: list[Event]
    backwards: list[Backward]
    pause: int
    """Event before which the parameter is perturbed: its first use since it was last written."""
    changed_after_read: bool = False
    """The contents changed between the read and the update (a numpy view)."""


@dataclass
class ParameterTrace:
    """A parameter over the iterations."""

    buffers: list[str]
    slot: tuple[str, str]
    consumptions: list[Consumption] = field(default_factory=list)


class Consumptions:
    """Reads a recording once; `parameters` is the result."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.events = recording.events
        self.reads = [e for e in self.events if e.kind == "gradient-read"]
        self.backwards = self._backwards()
        self.written_on_tape: set[tuple[int, str]] = {
            (e.iteration, t.buffer) for e in self.events if e.tape is not None for t in e.touches if t.writes
        }

    def _backwards(self) -> list[Backward]:
        found: list[Backward] = []
        for event in self.events:
            if event.kind == "backward-begin":
                seeds = [
                    Seed(s["buffer"], s["contents"], self._is_adjoint(s, event.seq), s["is_zero"], s["how"], s["dtype"])
                    for s in event.info["seeds"]
                ]
                nonzero = set(event.info.get("nonzero_gradients", ()))
                loss = event.info.get("loss")
                backward = Backward(event, event.info["ordinal"], event.iteration, loss, seeds, nonzero)
                if loss is None and all(s.is_zero for s in seeds):
                    backward.seeds = self._borrowed(backward, found) or seeds
                found.append(backward)
        return found

    def _borrowed(self, spent: Backward, earlier: list[Backward]) -> list[Seed]:
        """Seeds of the last pass from the same line that had any, for the arrays that stand in their place now."""
        model = next((b for b in reversed(earlier) if b.event.site == spent.event.site and b.has_own_seed), None)
        if model is None or model.iteration == spent.iteration:
            return []
        borrowed = []
        for seed in model.seeds:
            buffer = self._counterpart(seed.buffer, model.iteration, spent.iteration)
            if buffer is not None and not seed.is_chained:
                borrowed.append(Seed(buffer, seed.contents, False, False, seed.how, seed.dtype, is_borrowed=True))
        return borrowed

    def _counterpart(self, buffer: str, iteration: int, other: int) -> str | None:
        """The array that plays a buffer's part in another iteration: written by the same launch in the sequence."""
        slots: dict[int, list[tuple[str, str, str]]] = {iteration: [], other: []}
        for event in self.events:
            if event.iteration in slots and event.tape is not None:
                slots[event.iteration] += [(event.name, t.path, t.buffer) for t in event.touches if t.writes]
        place = next((i for i, s in enumerate(slots[iteration]) if s[2] == buffer), None)
        if place is None or place >= len(slots[other]) or slots[other][place][:2] != slots[iteration][place][:2]:
            return None
        return slots[other][place][2]

    def _is_adjoint(self, seed: dict[str, Any], seq: int) -> bool:
        contents = self.recording.arrays[seed["contents"]]
        if not np.any(contents):
            return False
        if seed.get("gradient_of") not in (None, seed["buffer"]):
            return True
        known = [self.recording.arrays[read.info["contents"]] for read in self.reads if read.seq < seq]
        alike = [k for k in known if k.shape == contents.shape][-_LATEST_READS:]
        return any(np.array_equal(k, contents) for k in alike) or any(
            _is_sum(contents, a, b) for a, b in combinations(alike, 2)
        )

    def backward_after(self, seq: int) -> Backward | None:
        """The first backward pass that begins after an event."""
        return next((b for b in self.backwards if b.event.seq > seq), None)

    def parameters(self) -> list[ParameterTrace]:
        """Parameters in the order of their first consumption."""
        traces: list[ParameterTrace] = []
        for iteration in sorted({r.iteration for r in self.reads}):
            for buffer in dict.fromkeys(r.info["parameter"] for r in self.reads if r.iteration == iteration):
                consumption = None if self._is_boundary(buffer, iteration) else self._consumption(buffer, iteration)
                if consumption is None:
                    continue
                self._trace_for(traces, consumption).consumptions.append(consumption)
        return traces

    def kept_over(self) -> list[Event]:
        """Reads that an update follows in an iteration without any backward pass: the gradient of earlier values."""
        renewed = {b.iteration for b in self.backwards}
        updates = {(e.iteration, buffer): e.seq for e in self.events for buffer in e.info.get("updates", ())}
        return [
            r for r in self.reads
            if r.iteration not in renewed and r.seq <= updates.get((r.iteration, r.info["parameter"]), -1)
        ]  # fmt: skip

    def _trace_for(self, traces: list[ParameterTrace], consumption: Consumption) -> ParameterTrace:
        slot = self._slot(consumption.buffer)
        for trace in traces:
            if consumption.buffer in trace.buffers:
                return trace
        for trace in traces:
            if trace.slot == slot and trace.consumptions[-1].iteration < consumption.iteration:
                trace.buffers.append(consumption.buffer)
                return trace
        traces.append(ParameterTrace([consumption.buffer], slot))
        return traces[-1]

    def _slot(self, buffer: str) -> tuple[str, str]:
        for event in self.events:
            if event.tape is not None:
                for touch in event.touches:
                    if touch.buffer == buffer:
                        return (event.name, touch.path)
        return ("", buffer)

    # --- one consumption --------------------------------------------------------------------------------------
    def _consumption(self, buffer: str, iteration: int) -> Consumption | None:
        reads = [r for r in self.reads if r.iteration == iteration and r.info["parameter"] == buffer]
        passed_on = [r for r in reads if self._is_chained(r)]
        reads = [r for r in reads if r not in passed_on]
        if (iteration, buffer) in self.written_on_tape or not reads:
            return None
        relevant = [b for b in self.backwards if b.iteration == iteration]
        if not relevant:
            return None
        segments = self._segments(buffer, relevant, reads)
        used = [b for backwards, segment_reads in segments if segment_reads for b in backwards]
        skipped = [b for backwards, segment_reads in segments if not segment_reads for b in backwards]
        last_read = reads[-1].seq
        counted = sorted(
            [*used, *(b for b in skipped if b.event.seq < last_read and not self._is_used_elsewhere(b, buffer))],
            key=lambda b: b.ordinal,
        )
        if passed_on:
            counted = [b for b in relevant if b.event.seq < last_read]
        gradient: np.ndarray | None = None
        changed = False
        for _, segment_reads in segments:
            if segment_reads:
                contents, was_changed = self._used_contents(segment_reads[-1])
                changed |= was_changed
                gradient = contents.astype(np.float64) if gradient is None else gradient + contents
        assert gradient is not None
        pause = self._first_use_of_chain(buffer, iteration) if passed_on else self._first_use(buffer, iteration)
        if pause is None:
            return None
        return Consumption(buffer, iteration, gradient, reads, counted or relevant, pause, changed)

    def _is_boundary(self, buffer: str, iteration: int) -> bool:
        """The start of a segment, copied from a state that a tape computed: nothing updates it, its gradient is passed
        on to the segment before, or is the last one and goes nowhere.
        """
        touching = self._touching(buffer)
        if any(buffer in e.info.get("updates", ()) for e in touching):
            return False
        return any(
            e.kind == "copy" and t.reads and t.buffer != buffer and (e.iteration, t.buffer) in self.written_on_tape
            for e in touching if e.iteration == iteration
            for t in e.touches
        )  # fmt: skip

    def _is_chained(self, read: Event) -> bool:
        """The gradient went on as the seed of another backward pass: an adjoint at a boundary, not a parameter's."""
        contents = self.recording.arrays[read.info["contents"]]
        return any(
            seed.is_chained and np.array_equal(self.recording.arrays[seed.contents], contents)
            for backward in self.backwards
            if backward.event.seq > read.seq
            for seed in backward.seeds
        )

    def _segments(
        self, buffer: str, backwards: list[Backward], reads: list[Event]
    ) -> list[tuple[list[Backward], list[Event]]]:
        """Backward passes between two resets of the parameter's gradient, with the reads of their sum."""
        segments: list[tuple[list[Backward], list[Event]]] = []
        early = [r for r in reads if r.seq < backwards[0].event.seq]
        for index, backward in enumerate(backwards):
            upper = backwards[index + 1].event.seq if index + 1 < len(backwards) else float("inf")
            own = [r for r in reads if backward.event.seq < r.seq < upper]
            on_tape = any(e.tape == backward.event.tape for e in self._touching(buffer))
            if not segments or (on_tape and buffer not in backward.nonzero):
                segments.append(([], []))
            segments[-1][0].append(backward)
            segments[-1][1].extend(own)
        if early and not any(r for _, r in segments):
            segments[0][1].extend(early)
        return segments

    def _touching(self, buffer: str) -> list[Event]:
        return [e for e in self.events if any(t.buffer == buffer for t in e.touches)]

    def _is_used_elsewhere(self, backward: Backward, buffer: str) -> bool:
        """Another parameter's gradient was consumed between this pass and the next."""
        later = [b.event.seq for b in self.backwards if b.event.seq > backward.event.seq]
        upper = min(later) if later else float("inf")
        return any(backward.event.seq < r.seq < upper and r.info["parameter"] != buffer for r in self.reads)

    def _used_contents(self, read: Event) -> tuple[np.ndarray, bool]:
        """The gradient as the update finds it: a numpy view may have changed since it was taken."""
        for event in self.events:
            for stale in event.info.get("stale_views", ()):
                if stale["read"] == read.seq:
                    return self.recording.arrays[stale["contents"]], True
        return self.recording.arrays[read.info["contents"]], False

    def _first_use_of_chain(self, buffer: str, iteration: int) -> int | None:
        """First event that reads an array which also carries later states: where its iteration began, tape or not."""
        touching = self._touching(buffer)
        updates = [e.seq for e in touching if e.iteration == iteration - 1 and buffer in e.info.get("updates", ())]
        start = updates[0] if updates else -1
        return next(
            (e.seq for e in touching if e.seq > start and any(t.reads and t.buffer == buffer for t in e.touches)), None
        )

    def _first_use(self, buffer: str, iteration: int) -> int | None:
        """First event that reads the parameter since the last write before its first taped use."""
        touching = self._touching(buffer)
        taped = [
            e.seq for e in touching
            if e.iteration == iteration and (e.tape is not None or e.kind == "prebuilt-launch")
        ]  # fmt: skip
        limit = taped[0] if taped else max((b.event.seq for b in self.backwards if b.iteration == iteration), default=0)
        last_write = max(
            (e.seq for e in touching if e.seq < limit and any(t.buffer == buffer and t.writes for t in e.touches)),
            default=-1,
        )
        uses = [
            e.seq for e in touching
            if last_write < e.seq <= limit and any(t.buffer == buffer and t.reads for t in e.touches)
        ]  # fmt: skip
        return uses[0] if uses else (limit if taped else None)
