"""What a measurement says: raw rungs, one check per direction, one per array."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

DirectionStatus = Literal["agrees", "disagrees", "undecided"]
Status = Literal["agrees", "disagrees", "undecided", "independent"]
Shape = Literal["smooth", "kink", "jump", "staircase", "flat"]
Kind = Literal["random", "zero-set", "gradient"]
Side = Literal["plus", "minus", "between"]


@dataclass(frozen=True)
class Rung:
    """One central difference: objective at x + h d and x - h d, both derivatives along d.

    `autodiff` is sum(g * delta) / 2h with the realised step delta, `measured` the difference of
    the objective over 2h. A rung that could not be used has a `failure` and no values.
    """

    h: float
    autodiff: float
    plus: float | None = None
    minus: float | None = None
    measured: float | None = None
    failure: str | None = None


@dataclass(frozen=True)
class DirectionCheck:
    """Verdict along one direction; `measured` +- `half_width` is the interval at step `h`.

    `residual` is measured - autodiff; `scale` is the size a derivative along such a direction
    has, the unit of every relative statement. `growth` is the exponent p of |measured| ~ h**p
    over the finest rungs, near -1 when the objective looks chaotic. `secant` is the slope that
    the coarse rungs of a staircase agree on.
    """

    kind: Kind
    status: DirectionStatus
    reason: str | None
    shape: Shape
    scale: float
    rungs: tuple[Rung, ...]
    h: float | None = None
    autodiff: float | None = None
    measured: float | None = None
    half_width: float | None = None
    residual: float | None = None
    growth: float | None = None
    picked_side: Side | None = None
    secant: float | None = None
    is_noise_limited: bool = False

    @property
    def is_rough(self) -> bool:
        """The objective is not differentiable along this direction, as far as differences can tell."""
        return self.status == "undecided" and self.reason in ("kink", "jump", "no_plateau", "staircase")

    @property
    def visible_error(self) -> float | None:
        """Smallest error this direction would have shown, relative to its scale."""
        if self.half_width is None or self.scale == 0.0:
            return None
        return self.half_width / self.scale


@dataclass(frozen=True)
class ArrayCheck:
    """Verdict on the gradient of one parameter array.

    `autodiff`, `measured`, `half_width`, `ratio` (autodiff / measured) and `h` describe the
    headline direction. `alpha` is the slope of measured against autodiff over all resolved
    directions (1 correct, 0.5 counted twice, 0 missing, -1 sign) with its `correlation`.
    `eps_f` is the noise of the objective, one standard deviation, also in ulps of the baseline.
    `is_piecewise_constant`: the objective does not change at small steps and jumps at larger
    ones, so that 0 is its derivative almost everywhere. `confidence` is "suspected" when some
    direction contradicts the gradient but the evidence does not suffice.
    """

    status: Status
    reason: str | None
    evaluations: int
    directions: tuple[DirectionCheck, ...] = ()
    confidence: Literal["measured", "suspected"] = "measured"
    autodiff: float | None = None
    measured: float | None = None
    half_width: float | None = None
    ratio: float | None = None
    h: float | None = None
    alpha: float | None = None
    correlation: float | None = None
    smallest_visible_error: float | None = None
    eps_f: float | None = None
    eps_f_in_ulps: float | None = None
    is_noise_known: bool = True
    growth: bool = False
    picked_side: Side | None = None
    is_piecewise_constant: bool = False
    secant: float | None = None
    nonfinite_count: int = 0
    first_nonfinite: tuple[int, ...] | None = None
    next_step: str | None = field(default=None)

    @property
    def is_agreement(self) -> bool:
        """The gradient is right, be it that the objective does not depend on the parameter."""
        return self.status in ("agrees", "independent")


def distance(ratio: float | None) -> float:
    """How far a ratio is from 1: 0 for a right gradient, 2 for the opposite sign, 3 where there is no finite ratio."""
    if ratio is None or not math.isfinite(ratio):
        return 3.0
    return abs(1.0 - ratio) / max(1.0, abs(ratio))
