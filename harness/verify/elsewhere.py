"""Starting a program from other parameter values, without editing it.

The values are put in just before the parameter is first used; everything the program does afterwards, the updates of an
optimizer included, is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..assess.evaluator import stands
from ..execute.live import LiveSession
from ..execute.live_run import LiveRun
from ..record.events import Recording
from ..record.plan import Plan, Write
from ..trace.consumption import ParameterTrace
from ..trace.source import Source

_CHANGE = 0.25
"""Largest relative change of an element. Signs stay, so that a mass or a stiffness stays one."""
_UPDATES = 3.0
"""Where all elements are zero: largest change, in updates as the program itself makes them."""
_LEAST = 1e-2
"""The same where it makes none."""


class Elsewhere(LiveSession):
    """A session whose runs all start from the parameter values in `starts`; empty: from the program's own."""

    starts: Sequence[Write] = ()
    first: Recording | None = None
    """The first full recording since this was last set to None."""

    def __enter__(self) -> Elsewhere:
        super().__enter__()
        return self

    def start(self, plan: Plan) -> LiveRun:
        """Start one execution of the program under a plan."""
        plan.writes = [*self.starts, *plan.writes]
        return super().start(plan)

    def record(self, plan: Plan, on_wait: Callable[[], None] | None = None, seconds: float | None = None) -> Recording:
        """Run the program to the plan's end, or for ``seconds``, and load what was recorded."""
        recording = super().record(plan, on_wait, seconds)
        if self.first is None and plan.level == "full" and not plan.interventions:
            self.first = recording
        return recording


@dataclass(frozen=True)
class Start:
    """A parameter as the program first uses it."""

    name: str
    buffer: str
    event: int
    """Its first use."""
    dtype: str
    contents: np.ndarray
    update: float
    """Largest change of an element by the first update; 0 if there is none."""


def starts(session: Elsewhere, recording: Recording, traces: Sequence[ParameterTrace], folder: str) -> list[Start]:
    """The parameters of the first iteration, in the order of the traces."""
    source = Source(recording, folder)
    uses = {(t.consumptions[0].buffer, c.iteration): c for t in traces for c in t.consumptions if c.iteration < 2}
    seen: dict[tuple[str, int], np.ndarray] = {}
    with stands(session, [c.pause for c in uses.values()]) as advance:
        for key, use in sorted(uses.items(), key=lambda item: item[1].pause):
            stand = advance(use.pause)
            contents = stand.contents(use.buffer) if stand is not None else None
            if contents is not None:
                seen[key] = contents
    found = []
    for trace in traces:
        first = trace.consumptions[0]
        contents = seen.get((first.buffer, 0))
        if contents is not None and np.issubdtype(contents.dtype, np.floating):
            later = seen.get((first.buffer, 1))
            is_same_shape = later is not None and later.shape == contents.shape
            update = (
                float(np.max(np.abs(later - contents), initial=0.0)) if is_same_shape and later is not None else 0.0
            )
            dtype = recording.buffers[first.buffer]["dtype"]
            found.append(Start(source.name(first.buffer), first.buffer, first.pause, dtype, contents, update))
    return found


def other_values(start: Start, seed: int, index: int) -> np.ndarray:
    """Contents for a parameter: set number `seed` of values, parameter number `index`."""
    rng = np.random.Generator(np.random.PCG64([seed, index]))
    x = start.contents.astype(np.float64)
    nonzero = x[x != 0.0]
    typical = float(np.sqrt(np.mean(np.square(nonzero)))) if nonzero.size else 0.0
    size = np.where(x != 0.0, np.abs(x), typical) * _CHANGE
    if not nonzero.size:
        size = np.full(x.shape, _UPDATES * start.update or _LEAST)
    moved = x + size * rng.choice([-1.0, 1.0], x.shape) * rng.uniform(0.2, 1.0, x.shape)
    if start.dtype.startswith("quat"):
        moved /= np.linalg.norm(moved, axis=-1, keepdims=True)
    elif start.dtype.startswith("transform"):
        moved[..., 3:7] /= np.linalg.norm(moved[..., 3:7], axis=-1, keepdims=True)
    return np.asarray(moved, dtype=start.contents.dtype)


def writes(session: Elsewhere, values: Sequence[tuple[Start, np.ndarray]], label: str) -> list[Write]:
    """Plan entries that put the values in."""
    made = []
    for number, (start, contents) in enumerate(values):
        file = session.scratch / f"start-{label}-{number}.npy"
        np.save(file, contents)
        made.append(Write(start.event, start.buffer, str(file)))
    return made
