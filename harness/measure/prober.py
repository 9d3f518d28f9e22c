"""Spends forward runs within a budget and turns them into rungs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.measure.problem import Evaluate, Outcome
from harness.measure.results import Rung
from harness.measure.space import Pair


@dataclass(frozen=True)
class Reading:
    """A finite objective, or the reason why there is none."""

    value: float | None
    failure: str | None = None


class Prober:
    """Counts evaluations; every call of `read` is one batch, so that runs can go side by side."""

    def __init__(self, evaluate: Evaluate, baseline: Outcome, max_evaluations: int) -> None:
        self._evaluate = evaluate
        self._structure = baseline.structure
        self._limit = max_evaluations
        self.used = 0

    @property
    def remaining(self) -> int:
        return self._limit - self.used

    def read(self, points: Sequence[np.ndarray]) -> list[Reading]:
        """Objective at each point; the caller has checked that the budget allows it."""
        if len(points) > self.remaining:
            raise ValueError(f"{len(points)} evaluations asked, {self.remaining} left")
        if not points:
            return []
        self.used += len(points)
        outcomes = list(self._evaluate(points))
        outcomes += [Outcome(None, "not-reached")] * (len(points) - len(outcomes))
        return [self._reading(outcome) for outcome in outcomes]

    def ladders(self, ladders: Sequence[Sequence[Pair]]) -> list[list[Rung]]:
        """Measures several ladders in one batch."""
        readings = self.read([p for pairs in ladders for p in points_of(pairs)])
        return [rungs(pairs, readings) for pairs in ladders]

    def _reading(self, outcome: Outcome) -> Reading:
        if outcome.failure is not None or outcome.value is None or not math.isfinite(outcome.value):
            return Reading(None, "domain_error")
        if None not in (self._structure, outcome.structure) and outcome.structure != self._structure:
            return Reading(None, "structure_changed")
        return Reading(float(outcome.value))


def points_of(pairs: Sequence[Pair]) -> list[np.ndarray]:
    """The points of a ladder, in the order in which `rungs` takes their readings."""
    return [point for pair in pairs if pair.points is not None for point in pair.points]


def rungs(pairs: Sequence[Pair], readings: list[Reading]) -> list[Rung]:
    """Rungs of a ladder; takes its readings from the front of `readings`."""
    return [_rung(pair, readings) for pair in pairs]


def _rung(pair: Pair, readings: list[Reading]) -> Rung:
    autodiff = pair.prediction / (2.0 * pair.h)
    if pair.points is None:
        return Rung(pair.h, autodiff, failure=pair.failure)
    plus, minus = readings.pop(0), readings.pop(0)
    if plus.value is None or minus.value is None:
        return Rung(pair.h, autodiff, plus.value, minus.value, failure=plus.failure or minus.failure)
    return Rung(pair.h, autodiff, plus.value, minus.value, (plus.value - minus.value) / (2.0 * pair.h))
