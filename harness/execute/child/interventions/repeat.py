"""Repeat a block of launches until what it computes stops changing: the converged state of an iterative solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ....record import memory
from ....record.events import Event, Touches
from ....record.internals import context
from .base import Intervention

Link = tuple[int, int, int, int]


class RepeatBlock(Intervention):
    """After the last launch of a block, run the block again ``times`` times, off the tape.

    ``events`` are the launches of the block's last pass. ``links`` say where a pass finds what the one before left:
    (event, touch) written, (event, touch) read. An array that a pass only adds to starts from what its launch found.
    Forward only: contents that a backward pass needs are lost.
    """

    def __init__(self, events: list[int], links: list[Link], times: int) -> None:
        self._events = events
        self._links = links
        self._times = times
        self._touches: dict[int, Touches] = {}
        self._found: dict[int, list[tuple[Any, np.ndarray]]] = {}
        self._launches: list[dict[str, Any]] = []

    def before(self, event: Event, touches: Touches) -> None:
        """Keep what an accumulating launch adds to."""
        if event.seq in self._events:
            linked = {(e, t) for _, _, e, t in self._links}
            fresh = [
                a for i, (t, a) in enumerate(touches)
                if t.accumulates and not t.reads and (event.seq, i) not in linked
            ]  # fmt: skip
            self._found[event.seq] = [(a, memory.host_copy(a)) for a in fresh]

    def after(self, event: Event, touches: Touches) -> None:
        """Note the launch; after the last, repeat them all."""
        if event.seq not in self._events:
            return
        tape = context.runtime.tape
        entry = tape.launches[-1] if tape is not None and tape.launches else None
        if not isinstance(entry, (list, tuple)):
            return
        self._touches[event.seq] = touches
        arguments = [*entry[3], *entry[4]]
        self._launches.append({"event": event.seq, "kernel": entry[0], "dim": entry[1], "arguments": arguments})
        if event.seq == self._events[-1] and len(self._launches) == len(self._events):
            self._repeat()

    def _repeat(self) -> None:
        runtime = context.runtime
        tape, runtime.tape = runtime.tape, None
        self.recorder.depth += 1
        try:
            for _ in range(self._times):
                self._pass()
        finally:
            self.recorder.depth -= 1
            runtime.tape = tape
        for touches in self._touches.values():
            for touch, array in touches:
                if touch.writes:
                    self.recorder.invalidate(array)

    def _pass(self) -> None:
        for written_event, written, read_event, read in self._links:
            source, target = self._touches[written_event][written][1], self._touches[read_event][read][1]
            memory.put(target, memory.host_copy(source))
        for launch in self._launches:
            for array, contents in self._found[launch["event"]]:
                memory.put(array, contents)
            wp.launch(launch["kernel"], dim=launch["dim"], inputs=launch["arguments"], record_tape=False)
