"""A block of launches that is repeated within an iteration, each pass on what the one before left.

Found by what was launched and by memory alone; no name counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..assess.flow import OPERATIONS, Step
from ..record.events import Event, Touch

LONGEST_BLOCK = 4
LEAST_PASSES = 4


@dataclass(frozen=True)
class Carried:
    """An array that a pass takes from the one before: where the last pass reads it, and where it leaves its own."""

    read: tuple[int, int]
    """(event, index of the touch) of the first read in the last pass."""
    source: Touch
    result: Touch


@dataclass(frozen=True)
class Block:
    """The passes of a loop: launches per pass, all passes in order."""

    passes: list[list[Step]]

    @property
    def last(self) -> list[Event]:
        """Launches of the last pass."""
        return [step.event for step in self.passes[-1]]

    @property
    def links(self) -> list[tuple[int, int, int, int]]:
        """(event, touch) written by the last pass, (event, touch) of the last pass that reads its counterpart."""
        before, last = self.passes[-2:]
        written = {
            t.buffer: (j, i) for j, step in enumerate(before) for i, t in enumerate(step.event.touches) if t.writes
        }
        found = []
        for step in last:
            for i, touch in enumerate(step.event.touches):
                if touch.reads and touch.buffer in written:
                    j, k = written[touch.buffer]
                    if last[j].event.touches[k].buffer != touch.buffer:
                        found.append((last[j].event.seq, k, step.event.seq, i))
        return found

    @cached_property
    def state(self) -> list[Carried]:
        """What is carried from pass to pass."""
        before, last = self.passes[-2:]
        left = {t.buffer: (j, i) for j, s in enumerate(before) for i, t in enumerate(s.event.touches) if t.writes}
        found: dict[str, Carried] = {}
        renewed: set[str] = set()
        for event in self.last:
            for index, touch in enumerate(event.touches):
                if touch.reads and touch.buffer in left and touch.buffer not in renewed:
                    j, k = left[touch.buffer]
                    result = last[j].event.touches[k]
                    found.setdefault(touch.buffer, Carried((event.seq, index), touch, result))
            renewed |= {t.buffer for t in event.touches if t.writes}
        return list(found.values())

    def is_one_map(self) -> bool:
        """Every pass does the same to what it finds: equal numbers and, apart from the passes' own, the same arrays."""
        written = {t.buffer for steps in self.passes for s in steps for t in s.event.touches if t.writes}

        def given(steps: list[Step]) -> list[object]:
            numbers = [(s.event.info.get("dim"), s.event.info.get("scalars")) for s in steps]
            arrays = [
                (t.path, t.buffer, t.offset) for s in steps for t in s.event.touches if t.buffer not in written
            ]  # fmt: skip
            return [*numbers, *arrays]

        # The first pass finds the initial state, which no pass has written.
        return all(given(steps) == given(self.passes[1]) for steps in self.passes[2:])

    def starts_from_parameter(self) -> bool:
        """What the first pass finds as its state depends on the parameter: an initial condition, no first guess."""
        positions = {event.seq: number for number, event in enumerate(self.last)}
        return any(
            touch.path == carried.source.path
            for carried in self.state
            for touch in self.passes[0][positions[carried.read[0]]].sources
        )

    def is_watched(self, events: Sequence[Event], until: int) -> bool:
        """Something other than the next pass uses what a pass leaves, before event ``until``: each state counts."""
        own = {step.event.seq: number for number, steps in enumerate(self.passes) for step in steps}
        read = {t.buffer for steps in self.passes for s in steps for t in s.event.touches if t.reads}
        writer: dict[str, int] = {}
        for event in events:
            if event.seq >= until or event.kind not in OPERATIONS:
                continue
            number = own.get(event.seq)
            for touch in event.touches:
                made_by = writer.get(touch.buffer)
                if touch.reads and made_by is not None and made_by < len(self.passes) - 1 and number is None:
                    return True
                # What passes only add to, and nothing clears in between, is a sum over all of them.
                is_sum = touch.accumulates and touch.buffer not in read
                if is_sum and number is not None and made_by is not None and made_by < number:
                    return True
            for touch in event.touches:
                if touch.writes and number is not None:
                    writer[touch.buffer] = number
                elif touch.writes:
                    writer.pop(touch.buffer, None)
        return False


def longest_block(steps: list[Step]) -> Block | None:
    """The longest run of a repeated sequence of taped launches; None without `LEAST_PASSES` of them."""
    names = [s.event.name if s.event.kind == "launch" and s.event.tape is not None else "" for s in steps]
    best: Block | None = None
    for period in range(1, LONGEST_BLOCK + 1):
        start = 0
        while start + 2 * period <= len(names):
            count = _repeats(names, start, period)
            if count >= LEAST_PASSES and (best is None or count * period > len(best.passes) * len(best.passes[0])):
                best = Block([steps[start + k * period : start + (k + 1) * period] for k in range(count)])
            start += max(1, (count - 1) * period)
    return best


def _repeats(names: list[str], start: int, period: int) -> int:
    pattern = names[start : start + period]
    if "" in pattern:
        return 0
    count = 1
    while names[start + count * period : start + (count + 1) * period] == pattern:
        count += 1
    return count
