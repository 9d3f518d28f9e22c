"""From the verdicts of single directions to one for the array."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from harness.measure import policy
from harness.measure.judge import Setting
from harness.measure.problem import Problem
from harness.measure.results import ArrayCheck, DirectionCheck, Kind

NEXT_STEPS = {
    "noise_floor": "difference the objective before it is reduced, or remove a constant offset from it",
    "noise_unknown": "repeat with a larger budget, or in float64",
    "no_plateau": "shorten the run, or read the check of the single launches",
    "kink": "move the parameter off the point where the objective has a corner",
    "jump": "shorten the run, or move the parameter away from the discontinuity",
    "staircase": "replace the rounding or the table lookup by a smooth version to check the rest",
    "nondeterministic": "fix the random seeds of the program, then repeat",
    "structure_changed": "fix what decides the sequence of launches, then repeat",
    "domain_error": "move the parameter away from the edge of its domain",
    "step_underflow": "store the parameter in a wider type to check it",
    "borderline": "repeat with another seed, or shorten the run",
    "budget": "allow more time (--budget 300), or shrink the program",
}


@dataclass(frozen=True)
class Evidence:
    """All that was measured about one array. `confirmation` holds fresh directions, if any were needed."""

    problem: Problem
    checks: Sequence[DirectionCheck]
    setting: Setting
    evaluations: int
    directions_planned: int
    confirmation: Sequence[DirectionCheck] = field(default=())

    @property
    def random(self) -> list[DirectionCheck]:
        return [c for c in self.checks if c.kind == "random"]

    @property
    def is_rough(self) -> bool:
        return any(c.is_rough for c in [*self.random, *self.confirmation])

    def disagreeing(self, kind: Kind) -> list[DirectionCheck]:
        return [c for c in [*self.checks, *self.confirmation] if c.kind == kind and c.status == "disagrees"]


def undecided(reason: str, evaluations: int) -> ArrayCheck:
    """An array about which nothing was measured."""
    return ArrayCheck("undecided", reason, evaluations, next_step=NEXT_STEPS.get(reason))


def needs_confirmation(evidence: Evidence) -> Kind | None:
    """Kind of direction to repeat with fresh signs before a disagreement is reported.

    One random direction that disagrees is repeated too: a fault may show in few directions.
    """
    if evidence.is_rough or _is_nonfinite(evidence):
        return None
    kinds: tuple[Kind, ...] = ("random", "zero-set", "gradient")
    return next((kind for kind in kinds if evidence.disagreeing(kind)), None)


def combine(evidence: Evidence) -> ArrayCheck:
    """The array's verdict: strict about `disagrees`, which no rough direction may accompany."""
    check = _with_numbers(_nonfinite(evidence) if _is_nonfinite(evidence) else _status(evidence), evidence)
    return replace(check, next_step=NEXT_STEPS.get(check.reason or ""))


def _status(evidence: Evidence) -> ArrayCheck:
    used, random = evidence.evaluations, evidence.random
    if _is_independent(evidence):
        return ArrayCheck("independent", None, used)
    kinds: tuple[Kind, ...] = ("random", "zero-set", "gradient")
    contradicted = any(evidence.disagreeing(kind) for kind in kinds)
    if not evidence.is_rough and any(_is_confirmed(evidence, kind) for kind in kinds):
        # Without fresh directions (a small budget) two that disagree are all there is.
        is_confirmed = bool(evidence.confirmation)
        return ArrayCheck("disagrees", None, used, confidence="measured" if is_confirmed else "suspected")
    if contradicted:
        return ArrayCheck("undecided", _reason(evidence) or "borderline", used, confidence="suspected")
    if len(random) < min(2, evidence.directions_planned):
        return ArrayCheck("undecided", "budget", used)
    # Three rungs on a few treads line up by chance; a slope above the treads shows along most directions.
    sloping = sum(c.shape == "staircase" and c.secant is not None and c.status == "undecided" for c in random)
    if sloping >= min(2, len(random)):
        return ArrayCheck("undecided", "staircase", used)
    agreeing = sum(c.status == "agrees" for c in random)
    if agreeing >= max(len(random) - 1, min(2, len(random))):
        return ArrayCheck("agrees", None, used)
    return ArrayCheck("undecided", _reason(evidence), used)


def _is_confirmed(evidence: Evidence, kind: Kind) -> bool:
    found = evidence.disagreeing(kind)
    if not evidence.confirmation:
        return kind == "random" and len(found) >= 2
    return len(found) >= 2 and any(c.status == "disagrees" for c in evidence.confirmation)


def _is_nonfinite(evidence: Evidence) -> bool:
    return not np.all(np.isfinite(evidence.problem.gradient))


def _nonfinite(evidence: Evidence) -> ArrayCheck:
    """NaN and inf are wrong wherever the objective has bounded slopes, a corner included."""
    bad = np.argwhere(~np.isfinite(evidence.problem.gradient))
    settled = [c for c in evidence.random if c.h is not None and c.shape in ("smooth", "kink", "flat")]
    is_bounded = len(settled) >= min(2, len(evidence.random)) > 0
    return ArrayCheck(
        "disagrees" if is_bounded else "undecided",
        "nonfinite_gradient" if is_bounded else _reason(evidence) or "no_plateau",
        evidence.evaluations,
        nonfinite_count=len(bad),
        first_nonfinite=tuple(int(i) for i in bad[0]),
    )


def _is_independent(evidence: Evidence) -> bool:
    f0 = evidence.setting.f0
    rungs = [r for c in evidence.checks for r in c.rungs if r.failure is None]
    is_still = bool(rungs) and all(r.plus == f0 == r.minus for r in rungs)
    return is_still and not np.any(evidence.problem.gradient)


def _reason(evidence: Evidence) -> str | None:
    reasons = Counter(c.reason for c in evidence.random if c.reason is not None)
    return reasons.most_common(1)[0][0] if reasons else None


def _smallest_called_wrong(resolutions: list[float], rtol: float) -> float | None:
    """The smallest error that would have been called one, relative to the scale: see `judge`."""
    if not resolutions:
        return None
    resolution = float(np.median(resolutions))
    return max(resolution + rtol, 2.0 * resolution)


def _with_numbers(check: ArrayCheck, evidence: Evidence) -> ArrayCheck:
    checks = (*evidence.checks, *evidence.confirmation)
    noise = evidence.setting.noise
    alpha, correlation = slope(checks, noise.eps_f)
    growth = [c.growth for c in evidence.random if c.growth is not None]
    visible = [c.visible_error for c in evidence.random if c.visible_error is not None]
    sides = Counter(c.picked_side for c in checks if c.picked_side is not None)
    secants = [c.secant for c in checks if c.secant is not None]
    check = replace(
        check,
        directions=checks,
        alpha=alpha,
        correlation=correlation,
        smallest_visible_error=_smallest_called_wrong(visible, evidence.setting.rtol),
        eps_f=noise.eps_f,
        eps_f_in_ulps=noise.ulps,
        is_noise_known=noise.is_known,
        growth=bool(growth) and check.status == "undecided" and float(np.median(growth)) < -0.5,
        picked_side=sides.most_common(1)[0][0] if sides else None,
        # Where a slope above the treads confirms a gradient that is not zero, they are the
        # rounding of a large intermediate value and no property of the objective.
        is_piecewise_constant=any(c.shape == "staircase" and (c.status != "agrees" or not c.autodiff) for c in checks),
        secant=secants[0] if secants else None,
    )
    headline = _headline(check)
    if headline is None or (check.status == "undecided" and headline.kind == "zero-set"):
        return _with_unsettled_numbers(check)
    autodiff = None if check.nonfinite_count else headline.autodiff
    has_ratio = autodiff is not None and headline.measured
    return replace(
        check,
        autodiff=autodiff,
        measured=headline.measured,
        half_width=headline.half_width,
        h=headline.h,
        ratio=autodiff / headline.measured if has_ratio and autodiff is not None and headline.measured else None,
    )


def _with_unsettled_numbers(check: ArrayCheck) -> ArrayCheck:
    """Where no step size settles: one difference, from the middle of a ladder, and no interval around it."""
    moving = [c for c in check.directions if c.kind != "zero-set"]
    ladders = [[r for r in c.rungs if r.measured is not None] for c in moving]
    ladder = max(ladders, key=len, default=[])
    if not ladder:
        return check
    rung = ladder[len(ladder) // 2]
    return replace(check, autodiff=None if check.nonfinite_count else rung.autodiff, measured=rung.measured, h=rung.h)


def _headline(check: ArrayCheck) -> DirectionCheck | None:
    """The direction that shows the verdict best: of its status, random if possible, narrowest relative interval."""
    valued = [c for c in check.directions if c.measured is not None and c.half_width is not None]
    same = [c for c in valued if c.status == check.status] or valued
    random = [c for c in same if c.kind == "random"] or same
    return max(random, key=lambda c: abs(c.measured or 0.0) / ((c.half_width or 0.0) or np.inf), default=None)


def slope(checks: Sequence[DirectionCheck], eps_f: float) -> tuple[float | None, float | None]:
    """Slope of measured against autodiff over directions above noise, and their correlation."""
    pairs = [
        (c.measured, c.autodiff)
        for c in checks
        if c.measured is not None
        and c.autodiff is not None
        and c.h is not None
        and max(abs(c.measured), abs(c.autodiff)) > policy.SIGMAS * eps_f / (np.sqrt(2.0) * c.h)
    ]
    if not pairs:
        return None, None
    measured, autodiff = np.array(pairs, dtype=np.float64).T
    square = float(autodiff @ autodiff)
    if square == 0.0:
        return None, None
    product = float(measured @ autodiff)
    norm = float(np.sqrt((measured @ measured) * square))
    return product / square, product / norm if norm > 0.0 else None
