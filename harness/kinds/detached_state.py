"""Values that leave the tape and come back: through the host, or from one tape to the next.

Shared by three kinds. Between tapes that each run backward on a loss of their own it is `gradient-truncation`; where
the program chains adjoints by hand but leaves this boundary out, `boundary-adjoint-dropped`; within one tape, a
`severed-chain` through the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..record.events import Event, Touch

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory


@dataclass
class Detachment:
    """One place where values re-enter a tape without their history."""

    buffer: str
    site: int
    """Where the values come back: the array made from host data, or the launch on the next tape."""
    source: Event
    """Who produced or read the values before."""
    targets: list[tuple[int, int]]
    """(event, touch) of the taped reads, in all iterations."""
    iterations: set[int]
    between_tapes: bool
    through_host: bool


def detachments(lab: Laboratory) -> list[Detachment]:
    """All of them, one per argument of a kernel that takes such values in."""
    groups: dict[tuple[str, str, bool, bool], Detachment] = {}
    parameters = lab.parameters
    state = _State(parameters)
    for event in lab.events:
        state.enter(event.iteration)
        if event.tape is not None and event.kind != "backward-begin":
            for index, touch in enumerate(event.touches):
                if touch.reads and touch.buffer not in parameters:
                    found = state.entry(lab, event, touch)
                    if found is not None:
                        source, site, between, host = found
                        key = (event.name, touch.path, between, host)
                        if key not in groups:
                            groups[key] = Detachment(touch.buffer, site, source, [], set(), between, host)
                        groups[key].targets.append((event.seq, index))
                        groups[key].iterations.add(event.iteration)
        state.note(lab, event)
    return list(groups.values())


class _State:
    """Who last produced each array, while the events are walked in order."""

    def __init__(self, parameters: set[str]) -> None:
        self.parameters = parameters
        self.last_update = -1
        self.iteration = 0
        self.producer: dict[str, Event] = {}
        self.host_reads: list[Event] = []
        self.from_host: dict[str, tuple[Event, int]] = {}

    def enter(self, iteration: int) -> None:
        """Forget what earlier iterations produced."""
        if iteration != self.iteration:
            self.iteration = iteration
            self.producer.clear()
            # What is read of a parameter after its update belongs to the iteration that begins with its next use.
            self.host_reads = [
                r for r in self.host_reads if r.seq > self.last_update and r.touches[0].buffer in self.parameters
            ]
            self.from_host.clear()

    def note(self, lab: Laboratory, event: Event) -> None:
        """Take an event into account."""
        if "updates" in event.info:
            self.last_update = event.seq
        if event.kind == "host-read" and event.touches:
            buffer = event.touches[0].buffer
            if buffer in self.producer or buffer in self.parameters:
                self.host_reads.append(event)
        for touch in event.touches:
            if not touch.writes:
                continue
            if event.tape is not None:
                self.producer[touch.buffer] = event
                self.from_host.pop(touch.buffer, None)
            elif event.kind in ("copy", "host-write"):
                self._note_host_write(lab, event, touch)
            elif event.kind == "fill":
                self.producer.pop(touch.buffer, None)

    def _note_host_write(self, lab: Laboratory, event: Event, touch: Touch) -> None:
        sources = [t.buffer for t in event.touches if t.reads]
        made_by_tape = next((self.producer[b] for b in sources if b in self.producer), None)
        if made_by_tape is not None:
            self.from_host[touch.buffer] = (made_by_tape, event.site)
        elif self.host_reads and all("~" in b for b in sources):
            self.from_host[touch.buffer] = (self.host_reads[-1], event.site)

    def entry(self, lab: Laboratory, event: Event, touch: Touch) -> tuple[Event, int, bool, bool] | None:
        """If a taped read takes in values without their history: (source, site, between tapes, through the host)."""
        if touch.buffer in self.from_host:
            source, site = self.from_host[touch.buffer]
            return source, site, self._other_tape(source, event), True
        info = lab.recording.buffers.get(touch.buffer)
        if info is None:
            return None
        producer = self.producer.get(touch.buffer)
        if producer is not None:
            if producer.tape != event.tape:
                return producer, event.site, True, False
            return None
        made = lab.recording.buffers[touch.buffer].get("created", -1)
        if info["origin_data"] and self.host_reads and made > self.host_reads[0].seq:
            source = self.host_reads[-1]
            earlier = [r for r in self.host_reads if r.seq < made]
            return earlier[-1] if earlier else source, info["site"], self._other_tape(source, event), True
        return None

    def _other_tape(self, source: Event, event: Event) -> bool:
        if source.tape is not None:
            return source.tape != event.tape
        made = self.producer.get(source.touches[0].buffer) if source.touches else None
        return made is not None and made.tape != event.tape
