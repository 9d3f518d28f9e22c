"""Data flow by memory over the operations of one iteration: from a parameter to the objective."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..record.events import Event, Recording, Touch

OPERATIONS = (
    "launch", "untaped-launch", "prebuilt-launch", "copy", "fill", "native", "func", "host-read", "host-write",
)  # fmt: skip

_FLOATING = re.compile(r"float\d+$|.*_float\d+$|(vec|mat|quat|transform|spatial_vector|spatial_matrix)\w*[fdh]$")
_INTEGER = re.compile(r"u?int\d+$|bool$|.*_u?int\d+$|(vec|mat)\d*(i|ui|s|us|b|ub|l|ul)$")


class Regions:
    """Byte ranges of buffers."""

    def __init__(self) -> None:
        self._ranges: dict[str, set[tuple[int, int]]] = {}

    def add(self, touch: Touch) -> None:
        """Add the range of a touch."""
        self._ranges.setdefault(touch.buffer, set()).add((touch.offset, touch.offset + touch.nbytes))

    def add_buffer(self, buffer: str, nbytes: int) -> None:
        """Add a whole buffer."""
        self._ranges.setdefault(buffer, set()).add((0, nbytes))

    def meets(self, touch: Touch) -> bool:
        """True if the range of a touch overlaps."""
        ranges = self._ranges.get(touch.buffer)
        if not ranges:
            return False
        low, high = touch.offset, touch.offset + touch.nbytes
        return (low, high) in ranges or any(a < high and low < b for a, b in ranges)

    def remove(self, touch: Touch) -> None:
        """Take out the ranges that lie inside that of a touch."""
        ranges = self._ranges.get(touch.buffer)
        if ranges:
            low, high = touch.offset, touch.offset + touch.nbytes
            self._ranges[touch.buffer] = {(a, b) for a, b in ranges if not (low <= a and b <= high)}


@dataclass
class Step:
    """One operation through which the objective depends on the parameter."""

    event: Event
    sources: list[Touch] = field(default_factory=list)
    """What it reads that depends on the parameter."""
    results: list[Touch] = field(default_factory=list)
    """What it writes that the objective depends on."""


def window(recording: Recording, first: int, last: int) -> list[Event]:
    """Operations from event ``first`` up to event ``last``, in order."""
    return [e for e in recording.events if first <= e.seq <= last and e.kind in OPERATIONS]


def is_floating(recording: Recording, touch: Touch) -> bool:
    """False for integers; an array of structs counts as floating."""
    dtype = str(recording.buffers.get(touch.buffer, {}).get("dtype", ""))
    return bool(_FLOATING.match(dtype)) or not _INTEGER.match(dtype)


def path(recording: Recording, operations: Sequence[Event], parameter: str, objectives: Iterable[str]) -> list[Step]:
    """Operations on the path from the parameter to the objective's arrays, in order."""
    steps = reached(recording, operations, parameter)
    matters = Regions()
    for buffer in objectives:
        matters.add_buffer(buffer, recording.buffers[buffer]["nbytes"])
    for step in reversed(steps):
        touches = step.event.touches
        step.results = [t for t in touches if t.writes and _carries(recording, matters, t)]
        if step.results:
            for touch in touches:
                if touch.reads or touch.accumulates:
                    matters.add(touch)
    return [s for s in steps if s.sources and s.results]


def reached(recording: Recording, operations: Sequence[Event], parameter: str) -> list[Step]:
    """Every operation with what it reads that depends on the parameter, which may be nothing.

    Integer arrays end the flow: the derivative through them is 0 wherever it exists. A fill or a copy replaces what it
    covers; what a kernel overwrites is unknown and stays.
    """
    depends = Regions()
    depends.add_buffer(parameter, recording.buffers[parameter]["nbytes"])
    steps: list[Step] = []
    for event in operations:
        sources = [t for t in event.touches if (t.reads or t.accumulates) and _carries(recording, depends, t)]
        steps.append(Step(event, sources))
        for touch in event.touches:
            if touch.writes and event.kind in ("fill", "copy", "host-write") and not sources:
                depends.remove(touch)
            elif touch.writes and sources:
                depends.add(touch)
    return steps


def _carries(recording: Recording, regions: Regions, touch: Touch) -> bool:
    return regions.meets(touch) and is_floating(recording, touch)
