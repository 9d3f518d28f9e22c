"""What the objective looks like along a direction: smooth, kink, jump or staircase."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from harness.measure import policy
from harness.measure.interval import Ladder
from harness.measure.results import Shape, Side

KINK_SLOPE = 0.25
JUMP_SLOPE = -0.5
ROUGH_SHARE = 0.05
"""A gap between the one-sided derivatives below this share of the scale does not matter."""


def bend(ladder: Ladder, eps_f: float, scale: float, index: int | None) -> Shape:
    """Shape from how the gap between the one-sided derivatives changes with h.

    `index` is the rung that will be used, if there is one: a bend that only coarser rungs feel
    lies outside its reach and is no concern of it.
    """
    gap = ladder.curvature
    is_seen = gap > policy.SIGMAS * math.sqrt(6.0) * eps_f / ladder.h
    if index is not None and not (is_seen[index] and gap[index] > ROUGH_SHARE * scale):
        return "smooth"
    finest = np.flatnonzero(is_seen)[-3:]
    if finest.size < 2 or np.any(gap[finest] <= ROUGH_SHARE * scale):
        return "smooth"
    slope = float(np.polyfit(np.log(ladder.h[finest]), np.log(gap[finest]), 1)[0])
    if slope < JUMP_SLOPE:
        return "jump"
    return "kink" if slope < KINK_SLOPE else "smooth"


def is_corner(ladder: Ladder, eps_f: float, index: int) -> bool:
    """The residual is within half of a gap between one-sided derivatives that does not close with h.

    A gap too small for `bend` still moves a central difference off a gradient that picked a side.
    """
    gap = ladder.curvature
    is_seen = gap[index] > policy.SIGMAS * math.sqrt(6.0) * eps_f / ladder.h[index]
    is_open = gap[index] > 0.5 * gap[index - 1]
    return bool(is_seen and is_open and abs(ladder.residual[index]) <= 0.6 * gap[index])


def is_step(ladder: Ladder, ulp: float) -> bool:
    """One side of the baseline differs from it by the same amount however small the step is."""
    sides = (ladder.plus[-3:] - ladder.f0, ladder.minus[-3:] - ladder.f0)
    heights = [float(np.abs(side).max()) for side in sides]
    is_constant = [float(np.ptp(side)) <= 0.25 * max(heights) for side in sides]
    return ladder.h.size >= 3 and all(is_constant) and max(heights) > policy.ROUNDING_ULPS * ulp


def picked_side(ladder: Ladder, eps_f: float, rtol: float, scale: float, index: int) -> Side | None:
    """Which one-sided derivative autodiff equals at a kink; "between" for a value between them."""
    h = float(ladder.h[index])
    right = (ladder.plus[index] - ladder.f0) / h
    left = (ladder.f0 - ladder.minus[index]) / h
    autodiff = ladder.autodiff[index]
    tolerance = policy.SIGMAS * math.sqrt(2.0) * eps_f / h + max(rtol * scale, 0.05 * abs(right - left))
    distance, side = min((abs(autodiff - right), "plus"), (abs(autodiff - left), "minus"))
    if distance <= min(tolerance, 0.25 * abs(right - left)):
        return "plus" if side == "plus" else "minus"
    return "between" if min(left, right) < autodiff < max(left, right) else None


@dataclass(frozen=True)
class Treads:
    """An objective that stands still at the finest rungs although a slope would be visible there.

    `jumps`: it moves in steps rather than leaving a flat region along a ramp. `secant`: the slope
    its three coarsest moving rungs agree on, None if they do not. `quantum`: smallest change seen.
    """

    jumps: bool
    secant: float | None
    quantum: float


def treads(ladder: Ladder, ulp: float) -> Treads | None:
    """Describes a standstill at two or more finest rungs; None if rounding explains it or there is none."""
    moving = np.flatnonzero(~ladder.is_still)
    if moving.size == 0 or moving[-1] > ladder.h.size - 3:
        return None
    first_still = int(moving[-1]) + 1
    changes = np.abs(np.concatenate([ladder.plus[moving] - ladder.f0, ladder.minus[moving] - ladder.f0]))
    slope = float(changes.max() / ladder.h[moving[0]])
    if slope * 2.0 * ladder.h[first_still] <= policy.ROUNDING_ULPS * ulp:
        return None
    measured = ladder.measured
    # Leaving a flat region along a ramp, |D| grows with h; crossing a single step it falls like 1/h.
    jumps = moving.size == 1 or abs(measured[moving[-1]]) >= 0.8 * abs(measured[moving[-2]])
    return Treads(bool(jumps), _secant(measured[moving[:3]]), float(changes[changes > 0.0].min()))


def _secant(coarse: np.ndarray) -> float | None:
    if coarse.size < 3 or np.ptp(coarse) > 0.3 * np.abs(coarse).max() or not coarse.all():
        return None
    return float(coarse[0])
