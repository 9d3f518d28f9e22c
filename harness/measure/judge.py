"""Verdict along one direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.measure import policy
from harness.measure.interval import Ladder, growth_exponent, plateau
from harness.measure.noise import Noise
from harness.measure.results import DirectionCheck, DirectionStatus, Kind, Rung
from harness.measure.shape import Treads, bend, is_corner, is_step, picked_side, treads


@dataclass(frozen=True)
class Setting:
    """What all directions of one array share."""

    f0: float
    noise: Noise
    rtol: float


def judge(
    kind: Kind, rungs: Sequence[Rung], gradient_scale: float, setting: Setting, overall_scale: float = 0.0
) -> DirectionCheck:
    """Judges a ladder along one direction.

    `gradient_scale`: size that g.d has along such directions. `overall_scale`: the same for the
    whole array, against which a zero-set direction is held, as its own is zero.
    """
    ladder = Ladder.of(rungs, setting.f0)
    if ladder.h.size < 2:
        reason = _dropped_reason(rungs) or "budget"
        return DirectionCheck(kind, "undecided", reason, "smooth", gradient_scale, tuple(rungs))
    is_resolved = np.abs(ladder.measured) > policy.SIGMAS * ladder.noise(setting.noise.eps_f)
    seen = float(np.median(np.abs(ladder.measured[is_resolved]))) if is_resolved.any() else 0.0
    scale = max(gradient_scale, seen, overall_scale)
    still = _judge_still(kind, ladder, rungs, scale, setting)
    if still is not None:
        return still
    if _is_excessive(ladder, setting.noise):
        return _judge_wild(kind, ladder, rungs, scale, setting)
    return _judge_moving(kind, ladder, rungs, scale, setting, setting.noise.eps_f)


def _judge_still(
    kind: Kind, ladder: Ladder, rungs: Sequence[Rung], scale: float, setting: Setting
) -> DirectionCheck | None:
    """Handles an objective that stands still at fine steps; None where the usual rules apply."""
    is_zero = not ladder.autodiff.any()
    if is_zero and ladder.is_still.all():
        return _exactly_zero(kind, ladder, rungs, scale, None)
    steps = treads(ladder, setting.noise.ulp)
    if steps is None:
        return None
    if is_zero:
        return _exactly_zero(kind, ladder, rungs, scale, steps)
    follows = abs(ladder.residual[0]) <= 0.3 * scale
    if not (steps.jumps or follows):
        return None
    # Many treads per step: the slope above them can be compared, with half a tread as its noise.
    eps_f = max(setting.noise.eps_f, 0.5 * steps.quantum)
    above = _judge_moving(kind, ladder, rungs, scale, setting, eps_f)
    if above.status == "agrees":
        return replace(above, shape="staircase", secant=steps.secant)
    return replace(above, status="undecided", reason="staircase", shape="staircase", secant=steps.secant)


def _judge_wild(kind: Kind, ladder: Ladder, rungs: Sequence[Rung], scale: float, setting: Setting) -> DirectionCheck:
    """Judges where the sampled noise is too large to be rounding: a step or chaos at the smallest scale.

    What the differences resolve above it counts. An unresolved difference proves nothing, and
    without the sampled noise the ladder tells how the objective behaves.
    """
    check = _judge_moving(kind, ladder, rungs, scale, setting, setting.noise.eps_f)
    if check.status != "undecided" or setting.noise.is_from_repeats:
        return check
    growth = growth_exponent(ladder, setting.noise.ulp)
    reason = "jump" if is_step(ladder, setting.noise.ulp) else "no_plateau"
    return replace(check, reason=reason, growth=growth, shape="jump" if reason == "jump" else check.shape)


def _exactly_zero(
    kind: Kind, ladder: Ladder, rungs: Sequence[Rung], scale: float, steps: Treads | None
) -> DirectionCheck:
    """Autodiff says 0 and so do the finest rungs; only a slope above the treads speaks against it."""
    secant = steps.secant if steps else None
    is_agreed = secant is None
    return DirectionCheck(
        kind,
        "agrees" if is_agreed else "undecided",
        None if is_agreed else "staircase",
        "staircase" if steps and (steps.jumps or not is_agreed) else "flat",
        scale,
        tuple(rungs),
        h=float(ladder.h[-1]),
        autodiff=0.0,
        measured=0.0,
        half_width=0.0,
        residual=0.0,
        secant=secant,
    )


def _judge_moving(
    kind: Kind, ladder: Ladder, rungs: Sequence[Rung], scale: float, setting: Setting, eps_f: float
) -> DirectionCheck:
    best = plateau(ladder, eps_f)
    shape = bend(ladder, eps_f, scale, best.index if best else None)
    check = DirectionCheck(kind, "undecided", None, shape, scale, tuple(rungs), growth=growth_exponent(ladder, eps_f))
    if shape == "kink":
        side = picked_side(ladder, eps_f, setting.rtol, scale, best.index if best else ladder.h.size // 2)
        check = replace(check, reason="kink", picked_side=side)
    if best is None:
        return replace(check, reason=check.reason or _rough_reason(ladder, rungs, shape, setting))
    j = best.index
    check = replace(
        check,
        h=float(ladder.h[j]),
        autodiff=float(ladder.autodiff[j]),
        measured=float(ladder.measured[j]),
        half_width=best.half_width,
        residual=float(ladder.residual[j]),
        is_noise_limited=best.noise_share > 0.5,
    )
    if shape != "smooth":
        return replace(check, reason=shape)
    tolerance = policy.ZERO_SET_TOLERANCE if kind == "zero-set" else setting.rtol
    status, reason = _verdict(check, ladder, tolerance, setting, j)
    return replace(check, status=status, reason=reason)


def _verdict(
    check: DirectionCheck, ladder: Ladder, tolerance: float, setting: Setting, index: int
) -> tuple[DirectionStatus, str | None]:
    assert check.residual is not None
    assert check.half_width is not None
    assert check.measured is not None
    size, bound = abs(check.residual), check.half_width
    limit = bound + tolerance * check.scale
    if size > limit and size > 2.0 * bound:
        if abs(check.measured) <= bound and _is_excessive(ladder, setting.noise):
            return "undecided", _noise_reason(setting.noise)
        if is_corner(ladder, setting.noise.eps_f, index):
            return "undecided", "kink"
        if _is_alone(ladder, check.scale, setting.noise, index):
            return "undecided", "borderline"
        return "disagrees", None
    if bound > policy.VISIBLE_LIMIT * check.scale:
        return "undecided", _noise_reason(setting.noise) if check.is_noise_limited else "no_plateau"
    if size > limit:
        return "undecided", "borderline"
    return "agrees", None


def _is_alone(ladder: Ladder, scale: float, noise: Noise, j: int) -> bool:
    """A small residual that coarser rungs contradict and noise keeps finer ones from repeating.

    On a contact that the steps only begin to resolve it is a coincidence of two rungs.
    """
    size = abs(ladder.residual[j])
    if j < 2 or size > policy.LONE_RESIDUAL * scale:
        return False
    can_repeat = policy.SIGMAS * ladder.noise(noise.eps_f)[j + 1 :] < 0.5 * size
    return bool(abs(ladder.residual[j - 2] - ladder.residual[j - 1]) > size and not can_repeat.any())


def _is_excessive(ladder: Ladder, noise: Noise) -> bool:
    """Noise that is no rounding, relative to the largest objective on the ladder."""
    size = max(abs(ladder.f0), float(np.abs(ladder.plus).max()), float(np.abs(ladder.minus).max()))
    return noise.eps_f > policy.CHAOTIC_NOISE * size


def _noise_reason(noise: Noise) -> str:
    return "nondeterministic" if noise.is_from_repeats else "noise_floor"


def _rough_reason(ladder: Ladder, rungs: Sequence[Rung], shape: str, setting: Setting) -> str:
    if setting.noise.is_from_repeats:
        return "nondeterministic"
    dropped = _dropped_reason(rungs)
    if dropped is not None and 2 * ladder.h.size <= len(rungs):
        return dropped
    if shape == "jump":
        return "jump"
    spread = float(np.ptp(np.concatenate([ladder.plus[-3:], ladder.minus[-3:], [ladder.f0]])))
    is_in_noise = not setting.noise.is_known and spread <= 64.0 * setting.noise.ulp
    return "noise_unknown" if is_in_noise else "no_plateau"


def _dropped_reason(rungs: Sequence[Rung]) -> str | None:
    failures = Counter(r.failure for r in rungs if r.failure is not None)
    return failures.most_common(1)[0][0] if failures else None
