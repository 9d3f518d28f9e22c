"""What lies before a link that carries no gradient: backward with measured derivatives where the link begins."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from ..assess import flow
from ..assess.evaluator import Stand, stands
from ..assess.gradients import Judged
from ..record.events import Event, Touch
from ..record.plan import Objective
from .laboratory import Laboratory, Treatment, treatment

MAX_ELEMENTS = 128
"""Numbers whose derivatives are measured one by one, over all links of an iteration."""
SINGLE = 4
"""Bytes of a number in single precision; those in double precision count twice."""
STEP = 2.0**-7
"""Relative to an element, or to the size of its array."""

_PLAIN = ("launch", "copy")


@dataclass(frozen=True)
class Cut:
    """An array that leaves the tape it was written on."""

    writer: Event
    index: int
    """Of the touch."""
    after: int
    """The first event after it was written."""

    @property
    def buffer(self) -> str:
        """The array."""
        return self.writer.touches[self.index].buffer


@dataclass
class Upstream:
    """Measures derivatives, and remembers them."""

    lab: Laboratory
    _known: dict[tuple[int, int, str], Path | None] = field(default_factory=dict)

    def supplied(self, judged: Judged) -> Treatment | None:
        """Backward with the measured derivative of all that leaves a tape; None where there is none or too much."""
        cuts = self._cuts(judged)
        sizes = [int(self.lab.recording.buffers[c.buffer]["nbytes"]) // SINGLE for c in cuts]
        if not cuts or sum(sizes) > MAX_ELEMENTS or not self.lab.session.can_fork:
            return None
        objective = str(asdict(judged.objective))
        keys = [(c.writer.seq, c.index, objective) for c in cuts]
        missing = [(c.after, k, c) for k, c in zip(keys, cuts, strict=True) if k not in self._known]
        missing.sort(key=lambda item: item[:2])
        with stands(self.lab.session, [after for after, _, _ in missing]) as advance:
            for after, key, cut in missing:
                self._known[key] = self._measured(advance(after), cut, _remaining(judged, after))
        if any(self._known[key] is None for key in keys):
            return None
        targets = [[seq, index, str(self._known[seq, index, objective])] for seq, index, _ in keys]
        return treatment({"name": "measured-adjoint", "targets": targets})

    def _cuts(self, judged: Judged) -> list[Cut]:
        """Arrays that depend on the parameter and are read off the tape that wrote them."""
        recording, consumption = self.lab.recording, judged.consumption
        last = max(b.event.seq for b in consumption.backwards)
        operations = flow.window(recording, consumption.pause, last)
        objectives = {c.buffer for c in judged.objective.contributions}
        writers: dict[str, Cut] = {}
        found: dict[tuple[int, int], Cut] = {}
        for number, step in enumerate(flow.reached(recording, operations, consumption.buffer)):
            event = step.event
            for touch in event.touches:
                cut = writers.get(touch.buffer)
                is_away = cut is not None and (event.tape != cut.writer.tape or "->" in touch.path)
                if cut is not None and touch.reads and is_away:
                    found[cut.writer.seq, cut.index] = cut
            for index, touch in enumerate(event.touches):
                if not touch.writes:
                    continue
                writers.pop(touch.buffer, None)
                is_taped = event.tape is not None and event.kind in _PLAIN and bool(step.sources)
                is_last = number + 1 == len(operations)
                if is_taped and not is_last and touch.buffer not in objectives and self._is_whole(touch):
                    writers[touch.buffer] = Cut(event, index, operations[number + 1].seq)
        return list(found.values())

    def _is_whole(self, touch: Touch) -> bool:
        is_all = touch.offset == 0 and touch.nbytes == self.lab.recording.buffers[touch.buffer]["nbytes"]
        return touch.has_gradient and is_all and flow.is_floating(self.lab.recording, touch)

    def _measured(self, stand: Stand | None, cut: Cut, objective: Objective) -> Path | None:
        """File with the derivative of the objective with respect to each element; None if a run gave no number."""
        contents = stand.contents(cut.buffer) if stand is not None else None
        if stand is None or contents is None or contents.size > MAX_ELEMENTS or not np.all(np.isfinite(contents)):
            return None
        size = float(np.sqrt(np.mean(np.square(contents.astype(np.float64)))))
        points, widths = [], []
        for position in np.ndindex(contents.shape):
            width = STEP * max(abs(float(contents[position])), size, 1e-2)
            ends = [contents.copy(), contents.copy()]
            ends[0][position] += width
            ends[1][position] -= width
            points += ends
            widths.append(float(ends[0][position]) - float(ends[1][position]))
        results = stand.evaluate(cut.buffer, [*points], objective, self.lab.session.limits.seconds)
        if any(r.status != "ok" for r in results):
            return None
        values = np.array([float(sum(r.values)) for r in results]).reshape(-1, 2)
        file = self.lab.session.scratch / f"derivative-{cut.writer.seq}-{cut.index}-{len(self._known)}.npy"
        np.save(file, ((values[:, 0] - values[:, 1]) / np.array(widths)).reshape(contents.shape))
        return file


def _remaining(judged: Judged, after: int) -> Objective:
    """The terms of the objective that are not yet there at an event."""
    ahead = {b.ordinal for b in judged.consumption.backwards if b.event.seq > after}
    terms = [c for c in judged.objective.contributions if c.backward in ahead]
    return replace(judged.objective, contributions=terms)
