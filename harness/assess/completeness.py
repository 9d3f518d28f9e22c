"""Is every operation between a parameter and the objective differentiated, once and in the right order?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..record.events import Event, Recording, Touch
from ..trace.consumption import Backward, Consumption
from . import flow
from .flow import Step

MOST_HOST_ENTRIES = 8

HoleKind = Literal[
    "no-path", "unrecorded-launch", "requires-grad", "handle", "host-round-trip", "unrecorded-write",
    "not-differentiated", "opaque-adjoint", "gradient-truncation", "repeated-adjoint", "gradient-accumulation",
    "stale-gradient", "replay-side-effect", "copy-adjoint", "retain-grad",
]  # fmt: skip


@dataclass(frozen=True)
class Hole:
    """One place where the chain from the parameter to the objective may not be what the tape differentiates."""

    kind: HoleKind
    event: int
    why: str
    buffer: str | None = None
    path: str | None = None
    """The operation's name for the array, as in `Touch.path`."""


@dataclass
class Completeness:
    """What the recording says about the chain of one consumed gradient."""

    holes: list[Hole] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """No hole was found."""
        return not self.holes

    @property
    def launches(self) -> list[Step]:
        """Taped launches on the path."""
        return [s for s in self.steps if s.event.kind == "launch" and s.event.tape is not None]


def completeness(recording: Recording, consumption: Consumption) -> Completeness:
    """Follow the data of one consumption from the parameter's first use to its last backward pass."""
    return _Inspection(recording, consumption).run()


class _Inspection:
    def __init__(self, recording: Recording, consumption: Consumption) -> None:
        self.recording = recording
        self.consumption = consumption
        self.backwards = sorted(consumption.backwards, key=lambda b: b.event.seq)
        self.last = self.backwards[-1].event.seq
        self.operations = flow.window(recording, consumption.pause, self.last)
        self.adjoints = self._adjoints()
        self.result = Completeness()

    def run(self) -> Completeness:
        """All inspections, in the order of the chain."""
        objectives = {s.buffer for b in self.backwards for s in b.seeds}
        objectives |= {b.loss["buffer"] for b in self.backwards if b.loss is not None}
        self.result.steps = flow.path(self.recording, self.operations, self.consumption.buffer, objectives)
        if not self.result.steps:
            self._no_path()
        for step in self.result.steps:
            self._inspect(step)
        self._inspect_host()
        self._inspect_fills()
        self._inspect_order()
        self._inspect_gradients()
        return self.result

    def _no_path(self) -> None:
        reached = flow.reached(self.recording, self.operations, self.consumption.buffer)
        seen = [s.event for s in reached if s.event.kind == "host-read" and s.sources]
        entries = self._from_host(seen[0].seq) if seen else []
        for event, touch in entries[:MOST_HOST_ENTRIES]:
            self._from_host_hole(event, touch, seen[0])
        if not entries:
            event = self.operations[0] if self.operations else self.backwards[0].event
            self._hole("no-path", event, "no recorded operation leads from the parameter to the objective")

    def _from_host_hole(self, event: Event, touch: Touch, read: Event) -> None:
        why = f"`{touch.path}` comes from the host, which had read what depends on the parameter by {read.name}"
        self._hole("host-round-trip", event, why, touch)

    def _hole(self, kind: HoleKind, event: Event, why: str, touch: Touch | None = None) -> None:
        buffer, path = (touch.buffer, touch.path) if touch is not None else (None, None)
        self.result.holes.append(Hole(kind, event.seq, why, buffer, path))

    def _adjoints(self) -> dict[int, list[Event]]:
        """Adjoints that ran in the counted backward passes, by the operation they belong to."""
        ends = {e.info["ordinal"]: e.seq for e in self.recording.events if e.kind == "backward-end"}
        spans = [(b.event.seq, ends.get(b.ordinal, b.event.seq)) for b in self.backwards]
        found: dict[int, list[Event]] = {}
        for event in self.recording.events:
            is_of_operation = event.kind == "adjoint" and event.info.get("of") is not None
            if is_of_operation and any(low <= event.seq < high for low, high in spans):
                found.setdefault(event.info["of"], []).append(event)
        return found

    # --- one operation --------------------------------------------------------------------------------------------
    def _inspect(self, step: Step) -> None:
        event = step.event
        if event.kind in ("host-read", "host-write", "fill"):
            return
        if event.tape is None:
            self._hole("unrecorded-launch", event, f"{event.kind} `{event.name}` is not recorded on a tape",
                       step.results[0])  # fmt: skip
            return
        if event.kind == "func":
            self._hole("opaque-adjoint", event, f"the adjoint of `{event.name}` is a Python function")
        adjoints = self.adjoints.get(event.seq, [])
        if not adjoints:
            self._hole("not-differentiated", event, f"no backward pass ran the adjoint of `{event.name}`")
        elif len(adjoints) > 1:
            self._hole("repeated-adjoint", event, f"the adjoint of `{event.name}` ran {len(adjoints)} times")
        for adjoint in adjoints:
            for written in adjoint.info.get("forward_written", ()):
                self._hole("replay-side-effect", adjoint, f"the adjoint of `{event.name}` changed `{written}`")
        if event.kind == "copy" and self._version() < (1, 17):
            self._hole("copy-adjoint", event, "copies drop part of the gradient before Warp 1.17", step.sources[0])
        self._inspect_arrays(step)

    def _inspect_arrays(self, step: Step) -> None:
        for touch in {id(t): t for t in (*step.sources, *step.results)}.values():
            if "->" in touch.path:
                self._hole("handle", step.event, f"`{touch.path}` is reached through a handle", touch)
            elif not touch.has_gradient:
                self._hole("requires-grad", step.event, f"`{touch.path}` carries no gradient", touch)
            elif self.recording.buffers[touch.buffer].get("retain_grad") and touch in step.results:
                self._hole("retain-grad", step.event, f"`{touch.path}` keeps its gradient", touch)

    def _version(self) -> tuple[int, ...]:
        return tuple(int(part) for part in str(self.recording.environment["warp"]).split(".")[:2])

    # --- work outside the tape --------------------------------------------------------------------------------------
    def _inspect_host(self) -> None:
        """Values that depend on the parameter, seen by the host, and contents from the host that matter later."""
        launches = self.result.launches
        reads = self._host_reads(launches[-1].event.seq) if launches else []
        if not reads:
            return
        first = reads[0][0]
        matters = flow.Regions()
        for step in self.result.steps:
            for touch in step.event.touches:
                if touch.reads:
                    matters.add(touch)
        entries = [(e, t) for e, t in self._from_host(first.seq) if matters.meets(t)]
        for event, touch in entries[:MOST_HOST_ENTRIES]:
            self._from_host_hole(event, touch, first)
        # A single number is read for a log; anything larger may come back as an argument that is no array.
        large = [(e, t) for e, t in reads if "value" not in e.info]
        if large and not entries:
            self._hole("host-round-trip", large[0][0], "the host read an array that depends on the parameter, and more "
                       "work followed", large[0][1])  # fmt: skip

    def _host_reads(self, before: int) -> list[tuple[Event, Touch]]:
        """Reads on the host of what depends on the parameter at that time."""
        depends = flow.Regions()
        depends.add_buffer(self.consumption.buffer, self.recording.buffers[self.consumption.buffer]["nbytes"])
        results = {s.event.seq: s.results for s in self.result.steps}
        found = []
        for event in self.operations:
            if event.kind == "host-read" and event.seq < before:
                found += [(event, t) for t in event.touches if depends.meets(t)]
            for touch in results.get(event.seq, ()):
                depends.add(touch)
        return found

    def _from_host(self, since: int) -> list[tuple[Event, Touch]]:
        found = [(e, t) for e in self.operations if e.kind == "host-write" and e.seq > since for t in e.touches]
        seen: set[str] = set()
        for event in self.operations:
            for touch in event.touches:
                info = self.recording.buffers.get(touch.buffer, {})
                is_new = since < int(info.get("created", -1)) <= event.seq and bool(info.get("origin_data"))
                if touch.reads and is_new and touch.buffer not in seen:
                    found.append((event, touch))
                seen.add(touch.buffer)
        return found

    def _inspect_fills(self) -> None:
        """An array overwritten off the tape between two recorded uses: its adjoint is not cleared with it."""
        written: dict[str, list[tuple[Event, Touch]]] = {}
        replaced: dict[str, tuple[Event, Touch, Event]] = {}
        on_path = {(s.event.seq, t.buffer) for s in self.result.steps for t in (*s.sources, *s.results)}
        for event in self.operations:
            for touch in event.touches:
                if event.tape is None and touch.writes:
                    earlier = [e for e, t in written.get(touch.buffer, ()) if _overlap(t, touch)]
                    if earlier:
                        replaced[touch.buffer] = (event, touch, earlier[-1])
                if event.tape is None or (event.seq, touch.buffer) not in on_path:
                    continue
                if touch.buffer in replaced and replaced[touch.buffer][2].tape == event.tape:
                    change, target, writer = replaced.pop(touch.buffer)
                    self._hole("unrecorded-write", change, f"`{change.name}` comes after `{writer.name}` wrote the "
                               f"array and before `{event.name}` uses it", target)  # fmt: skip
                if touch.writes:
                    written.setdefault(touch.buffer, []).append((event, touch))

    # --- backward passes --------------------------------------------------------------------------------------------
    def _inspect_order(self) -> None:
        """A reader's adjoint has to run before that of the operation whose result it reads."""
        writers: dict[str, dict[int | None, tuple[Event, Touch]]] = {}
        reported: set[tuple[int | None, int | None]] = set()
        for step in self.result.steps:
            own = self.adjoints.get(step.event.seq)
            for touch in step.sources:
                for tape, (writer, target) in writers.get(touch.buffer, {}).items():
                    theirs = self.adjoints.get(writer.seq)
                    pair = (tape, step.event.tape)
                    if not own or not theirs or pair in reported or not _overlap(target, touch):
                        continue
                    if own[-1].seq > theirs[-1].seq:
                        reported.add(pair)
                        self._hole("gradient-truncation", step.event, f"backward ran through `{writer.name}` before it "
                                   f"ran through `{step.event.name}`, which reads its result", touch)  # fmt: skip
            for touch in step.results:
                writers.setdefault(touch.buffer, {})[step.event.tape] = (step.event, touch)

    def _inspect_gradients(self) -> None:
        """Gradients that were not zero when backward began, or were not read when it had ended."""
        on_path = {t.buffer for s in self.result.steps for t in (*s.sources, *s.results)}
        for number, backward in enumerate(self.backwards):
            for buffer in sorted(backward.nonzero & on_path):
                if number and buffer == self.consumption.buffer:
                    continue
                if number and self._is_boundary(backward, buffer):
                    continue
                why = "its gradient was not zero when backward began"
                self.result.holes.append(Hole("gradient-accumulation", backward.event.seq, why, buffer))
        early = [r for r in self.consumption.reads if r.seq < self.backwards[0].event.seq]
        if early or self.consumption.changed_after_read:
            event = early[0] if early else self.consumption.reads[-1]
            self._hole("stale-gradient", event, "the gradient that is used is not the one backward left")

    def _is_boundary(self, backward: Backward, buffer: str) -> bool:
        """Chained by hand: the adjoint of a later segment is the seed of this one."""
        return any(s.buffer == buffer for s in backward.seeds)


def _overlap(a: Touch, b: Touch) -> bool:
    return a.offset < b.offset + b.nbytes and b.offset < a.offset + a.nbytes
