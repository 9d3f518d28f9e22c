"""Judges the adjoint of a single launch from differences of that launch alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from harness.measure import policy

AGREES_BELOW = 1e-3
"""Right adjoints reached 1e-5 to 7e-5 of the scale at their best step, in float32."""

SETTLED = 0.25
"""A wrong adjoint leaves the same residual at neighbouring steps, up to this share of it."""


@dataclass(frozen=True)
class LocalRung:
    """One step of one direction.

    `difference`: w . (out(a + h u) - out(a - h u)), differenced per element in float64 before the
    product. `prediction`: sum(adj(a) * delta) with the realised step delta, the adjoint seeded with w.
    """

    h: float
    difference: float
    prediction: float

    @property
    def residual(self) -> float:
        return (self.difference - self.prediction) / (2.0 * self.h)


@dataclass(frozen=True)
class LocalDirection:
    """Best pair of neighbouring steps: the residual that both support, relative to the scale."""

    status: Literal["agrees", "disagrees", "undecided"]
    residual_rel: float
    h: float
    autodiff: float
    measured: float


@dataclass(frozen=True)
class LocalCheck:
    """Verdict on one launch. `residual_rel` is that of the worst direction."""

    status: Literal["agrees", "disagrees", "undecided"]
    residual_rel: float | None
    reason: str | None
    directions: tuple[LocalDirection, ...]


def judge_local(
    rungs_per_direction: Sequence[Sequence[LocalRung]],
    scale: float | None = None,
    agrees_below: float = AGREES_BELOW,
    disagrees_above: float = policy.relative_tolerance(np.dtype(np.float32)),
) -> LocalCheck:
    """Judges a launch by the residual that two neighbouring steps support.

    `scale`: size a derivative along such directions has, ||adj o u||; the derivatives themselves
    count where they are larger or `scale` is None. One small residual may be a coincidence, two
    neighbours are not, hence the larger of a pair; the noise of fine steps and the truncation of
    coarse ones drop out by taking the best pair.
    """
    directions = tuple(
        _judge_direction(rungs, scale or 0.0, agrees_below, disagrees_above)
        for rungs in rungs_per_direction
        if len(rungs) >= 2
    )
    if not directions:
        return LocalCheck("undecided", None, "budget", ())
    worst = max(d.residual_rel for d in directions)
    statuses = [d.status for d in directions]
    if statuses.count("disagrees") >= min(2, len(directions)):
        return LocalCheck("disagrees", worst, None, directions)
    if all(status == "agrees" for status in statuses):
        return LocalCheck("agrees", worst, None, directions)
    return LocalCheck("undecided", worst, "no_plateau" if "undecided" in statuses else "borderline", directions)


def _judge_direction(
    rungs: Sequence[LocalRung], scale: float, agrees_below: float, disagrees_above: float
) -> LocalDirection:
    ordered = sorted(rungs, key=lambda r: -r.h)
    coarse, fine = min(pairwise(ordered), key=lambda p: max(abs(p[0].residual), abs(p[1].residual)))
    best = min(coarse, fine, key=lambda r: abs(r.residual))
    size = max(abs(coarse.residual), abs(fine.residual))
    measured, autodiff = best.difference / (2.0 * best.h), best.prediction / (2.0 * best.h)
    unit = max(scale, abs(measured), abs(autodiff))
    residual_rel = size / unit if unit > 0.0 else 0.0
    if residual_rel <= agrees_below:
        status: Literal["agrees", "disagrees", "undecided"] = "agrees"
    elif residual_rel > disagrees_above and abs(coarse.residual - fine.residual) <= SETTLED * size:
        status = "disagrees"
    else:
        status = "undecided"
    return LocalDirection(status, residual_rel, best.h, autodiff, measured)
