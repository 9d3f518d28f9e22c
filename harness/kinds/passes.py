"""Experiments on the last pass of a repeated block: does it step on from its state, or replace it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..assess.evaluator import Stand
from ..record.plan import Contribution, Objective
from .repeated_block import Block, Carried

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

DRAWS = 12
"""Random sign vectors for one average: its standard deviation is about 0.3 / sqrt(elements)."""
STEP = 2.0**-9
"""Change of the state, relative to its size."""
IDENTITY = 1e-4
"""Relative change below which a pass has left its state as it was."""


@dataclass(frozen=True)
class _Given:
    """One carried array before the last pass, (shape), in the array's own dtype."""

    carried: Carried
    contents: np.ndarray


class Passes:
    """Runs the last pass of one iteration again from a changed state, or with another number."""

    def __init__(self, lab: Laboratory, judged: Judged, block: Block) -> None:
        self._lab = lab
        self._block = block
        self._ordinal = judged.objective.last_backward
        self._stand = Stand(lab.session, block.last[0].seq)
        self._rng = np.random.Generator(np.random.PCG64(lab.seed))
        self._files = 0

    def kept(self) -> float | None:
        """Largest share, over the carried arrays, of a change to an element that is still in it after the pass.

        The mean of the diagonal of the pass's Jacobian, from products with random signs; None if it is not to be had.
        """
        shares = [self._kept(given) for given in self._state()]
        known = [s for s in shares if s is not None]
        return max(known) if known and len(known) == len(shares) else None

    def step_argument(self) -> str | None:
        """A number given to the pass that makes it the identity when it is 0."""
        given = self._state()
        names = dict.fromkeys(n for event in self._block.last for n in event.info.get("scalars", {}))
        return next((name for name in names if given and all(self._is_identity(g, name) for g in given)), None)

    def _state(self) -> list[_Given]:
        found = []
        for carried in self._block.state:
            contents = self._stand.contents(carried.source.buffer)
            if contents is not None and np.issubdtype(contents.dtype, np.floating):
                found.append(_Given(carried, contents))
        return found

    def _kept(self, given: _Given) -> float | None:
        x = given.contents
        size = STEP * max(float(np.sqrt(np.mean(np.square(x.astype(np.float64))))), 1e-6)
        shares = []
        for _ in range(DRAWS):
            signs = self._rng.choice([-1.0, 1.0], x.shape)
            points = [(x + size * signs).astype(x.dtype), (x - size * signs).astype(x.dtype)]
            values = self._products(given, signs, points)
            if values is None:
                return None
            realised = float(np.sum(signs * (points[0].astype(np.float64) - points[1].astype(np.float64))))
            shares.append((values[0] - values[1]) / realised if realised else 0.0)
        return float(np.mean(shares))

    def _is_identity(self, given: _Given, name: str) -> bool:
        signs = self._rng.choice([-1.0, 1.0], given.contents.shape)
        zeroed = [[e.seq, name, 0.0] for e in self._block.last if name in e.info.get("scalars", {})]
        values = self._products(given, signs, [None], [{"name": "freeze-scalars", "targets": zeroed}])
        before = signs * given.contents.astype(np.float64)
        return values is not None and abs(values[0] - float(before.sum())) <= IDENTITY * float(np.abs(before).sum())

    def _products(
        self,
        given: _Given,
        seed: np.ndarray,
        points: Sequence[np.ndarray | None],
        interventions: list[dict[str, object]] | None = None,
    ) -> list[float] | None:
        """``seed . result`` of the pass from each state; None if a run gave none."""
        self._files += 1
        file = self._lab.session.scratch / f"pass-{self._block.last[0].seq}-{self._files}.npy"
        np.save(file, seed)
        term = Contribution(self._ordinal, given.carried.result.buffer, str(file))
        objective = Objective([term], self._ordinal, interventions=interventions or [])
        source = given.carried.source.buffer
        results = self._stand.evaluate(source, list(points), objective, self._lab.session.limits.seconds)
        return [float(r.values[0]) for r in results] if all(r.status == "ok" for r in results) else None
