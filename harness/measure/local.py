"""Judges the adjoint of a single launch from differences of that launch alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from harness.measure import policy

Status = Literal["agrees", "disagrees", "undecided"]

AGREES_BELOW = 1e-3
"""Right adjoints reached 1e-5 to 7e-5 of the scale at their best step, in float32."""

SETTLED = 0.25
"""A wrong adjoint leaves the same residual at neighbouring steps, up to this share of it."""


VISIBLE = 0.05
"""A step counts where an error of this share of the scale would show."""

NEGLIGIBLE_NOISES = 20.0
"""A derivative below this many roundings of the outputs, at the coarsest step, changes nothing in their precision."""

STAIRCASE_FOLLOWS = 0.3
"""Share of the scale within which a staircase follows the adjoint at the coarsest step."""


@dataclass(frozen=True)
class LocalRung:
    """One step of one direction.

    `difference`: w . (out(a + h u) - out(a - h u)), differenced per element in float64 before the
    product. `prediction`: sum(adj(a) * delta) with the realised step delta, the adjoint seeded with w.
    """

    h: float
    difference: float
    prediction: float
    slack: float = 0.0
    """How far `residual` may be off at this step: half the gap between the one-sided derivatives, and rounding."""
    noise: float = 0.0
    """The part of `slack` that is rounding of the outputs."""

    @property
    def residual(self) -> float:
        return (self.difference - self.prediction) / (2.0 * self.h)


@dataclass(frozen=True)
class LocalDirection:
    """Best pair of neighbouring steps: the residual that both support, relative to the scale."""

    status: Status
    residual_rel: float
    h: float
    autodiff: float
    measured: float


@dataclass(frozen=True)
class LocalCheck:
    """Verdict on one launch. `residual_rel` is that of the worst direction."""

    status: Status
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
    unit = max([scale, *(abs(r.prediction) / (2.0 * r.h) for r in ordered)])
    usable = [p for p in pairwise(ordered) if _slack(p) <= VISIBLE * _unit(p, unit)]
    if not usable:
        best = min(ordered, key=lambda r: r.slack)
        size = abs(best.residual)
        is_negligible = max(unit, abs(best.difference) / (2.0 * best.h)) <= NEGLIGIBLE_NOISES * ordered[0].noise
        relative = size / unit if unit > 0.0 else 0.0
        return _direction("agrees" if is_negligible else "undecided", 0.0 if is_negligible else relative, best)
    coarse, fine = min(usable, key=lambda p: max(abs(p[0].residual), abs(p[1].residual)))
    best = min(coarse, fine, key=lambda r: abs(r.residual))
    size, slack, unit = max(abs(coarse.residual), abs(fine.residual)), _slack((coarse, fine)), _unit((best,), unit)
    residual_rel = size / unit if unit > 0.0 else 0.0
    if size <= agrees_below * unit + slack:
        return _direction("agrees", residual_rel, best)
    is_settled = abs(coarse.residual - fine.residual) <= SETTLED * size
    if size > disagrees_above * unit + 2.0 * slack and is_settled and not _is_staircase(ordered, unit):
        return _direction("disagrees", residual_rel, best)
    return _direction("undecided", residual_rel, best)


def _direction(status: Status, residual_rel: float, rung: LocalRung) -> LocalDirection:
    step = 2.0 * rung.h
    return LocalDirection(status, residual_rel, rung.h, rung.prediction / step, rung.difference / step)


def _slack(rungs: Sequence[LocalRung]) -> float:
    return max(r.slack for r in rungs)


def _unit(rungs: Sequence[LocalRung], scale: float) -> float:
    return max([scale, *(abs(r.difference) / (2.0 * r.h) for r in rungs)])


def _is_staircase(ordered: Sequence[LocalRung], unit: float) -> bool:
    """Still at the finest steps, but following the adjoint at the coarsest: rounding or a table look-up."""
    return (
        not ordered[-1].difference
        and not ordered[-2].difference
        and abs(ordered[0].residual) <= STAIRCASE_FOLLOWS * unit
    )
