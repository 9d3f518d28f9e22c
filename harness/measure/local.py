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

CONTRADICTS = 3.0
"""A residual this many times what its steps may be off by is there."""

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
    def measured(self) -> float:
        return self.difference / (2.0 * self.h)

    @property
    def autodiff(self) -> float:
        return self.prediction / (2.0 * self.h)

    @property
    def residual(self) -> float:
        return self.measured - self.autodiff


@dataclass(frozen=True)
class LocalDirection:
    """Best pair of neighbouring steps: the residual that both support, relative to the scale."""

    status: Status
    residual_rel: float
    h: float
    autodiff: float
    measured: float
    visible_error: float = 0.0
    """Smallest error of the adjoint that would have shown, relative to the scale."""


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
    unit = max([scale, *(abs(r.autodiff) for r in ordered)])
    pairs = [p for p in pairwise(ordered) if _slack(p) <= VISIBLE * max(unit, *(abs(r.measured) for r in p))]
    if not pairs:
        return _without_usable_steps(ordered, unit)
    closest = _unless_contradicted(
        min(pairs, key=lambda p: max(abs(r.residual) for r in p)), pairs, agrees_below * unit
    )
    best = max(closest, key=lambda r: abs(r.residual))
    size = max(unit, abs(best.measured))
    residual_rel, slack_rel = (abs(best.residual) / size, _slack(closest) / size) if size > 0.0 else (0.0, 0.0)
    if residual_rel <= agrees_below + slack_rel:
        return _direction("agrees", residual_rel, best, agrees_below + slack_rel)
    # The most steady pair shows a wrong adjoint; truncation and noise would move it.
    coarse, fine = min(pairs, key=lambda p: abs(p[0].residual - p[1].residual))
    steady = max(abs(coarse.residual), abs(fine.residual))
    is_settled = abs(coarse.residual - fine.residual) <= SETTLED * steady
    is_clear = residual_rel > disagrees_above + 2.0 * slack_rel
    if is_clear and is_settled and not _is_staircase(ordered, size):
        return _direction("disagrees", steady / max(unit, abs(fine.measured)), fine)
    return _direction("undecided", residual_rel, best)


def _unless_contradicted(
    closest: tuple[LocalRung, LocalRung], pairs: Sequence[tuple[LocalRung, LocalRung]], allowed: float
) -> tuple[LocalRung, LocalRung]:
    """The pair of steps to believe: the one with the smallest residual, unless a finer and far sharper one shows more.

    Coarse steps allow a wide residual; a wrong adjoint that is small along this very direction would hide in it.
    """
    sharpest = min((p for p in pairs if p[1].h <= closest[1].h), key=_slack)
    shown = min(abs(r.residual) for r in sharpest)
    return sharpest if shown > allowed + CONTRADICTS * _slack(sharpest) else closest


def _without_usable_steps(ordered: Sequence[LocalRung], unit: float) -> LocalDirection:
    """Corners or rounding at every step: undecided, unless the derivative is too small to change the outputs."""
    best = min(ordered, key=lambda r: r.slack)
    size = max(unit, abs(best.measured))
    if size <= NEGLIGIBLE_NOISES * ordered[0].noise:
        return _direction("agrees", 0.0, best)
    return _direction("undecided", abs(best.residual) / size if size > 0.0 else 0.0, best)


def _direction(status: Status, residual_rel: float, rung: LocalRung, visible_error: float = 0.0) -> LocalDirection:
    return LocalDirection(status, residual_rel, rung.h, rung.autodiff, rung.measured, visible_error)


def _slack(rungs: Sequence[LocalRung]) -> float:
    return max(r.slack for r in rungs)


def _is_staircase(ordered: Sequence[LocalRung], unit: float) -> bool:
    """Still at the finest steps, but following the adjoint at the coarsest: rounding or a table look-up."""
    is_still = not ordered[-1].difference and not ordered[-2].difference
    return is_still and abs(ordered[0].residual) <= STAIRCASE_FOLLOWS * unit
