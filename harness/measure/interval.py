"""From a ladder of differences to one value with a half-width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.measure import policy
from harness.measure.results import Rung

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ladder:
    """Usable rungs, coarse to fine, as float64 arrays of one length, next to the baseline `f0`."""

    h: Floats
    plus: Floats
    minus: Floats
    autodiff: Floats
    f0: float

    @classmethod
    def of(cls, rungs: Sequence[Rung], f0: float) -> Ladder:
        usable = sorted((r for r in rungs if r.failure is None), key=lambda r: -r.h)
        columns = np.array([[r.h, r.plus, r.minus, r.autodiff] for r in usable], dtype=np.float64).reshape(-1, 4)
        return cls(columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3], f0)

    @property
    def measured(self) -> Floats:
        return (self.plus - self.minus) / (2.0 * self.h)

    @property
    def residual(self) -> Floats:
        return self.measured - self.autodiff

    @property
    def curvature(self) -> Floats:
        """Q(h) = |f(x+) - 2 f0 + f(x-)| / h, how far the two one-sided derivatives are apart."""
        gap: Floats = np.abs(self.plus - 2.0 * self.f0 + self.minus) / self.h
        return gap

    @property
    def is_still(self) -> NDArray[np.bool_]:
        """Rungs at which the objective does not change at all."""
        is_still: NDArray[np.bool_] = (self.plus == self.f0) & (self.minus == self.f0)
        return is_still

    def noise(self, eps_f: float) -> Floats:
        """Standard deviation of `measured`."""
        deviation: Floats = eps_f / (np.sqrt(2.0) * self.h)
        return deviation


@dataclass(frozen=True)
class Plateau:
    """The rung with the narrowest interval that all finer rungs support."""

    index: int
    half_width: float
    noise_share: float
    """Part of `half_width` that is noise, the rest is truncation."""


def half_widths(ladder: Ladder, eps_f: float) -> Floats:
    """B(h) for each rung but the coarsest (infinite there): 4 N(h) + truncation seen from the next coarser rung."""
    noise, residual = ladder.noise(eps_f), ladder.residual
    bounds = np.full(residual.shape, np.inf)
    for j in range(1, residual.size):
        gap = abs(residual[j - 1] - residual[j])
        is_noise = gap <= 2.0 * (noise[j - 1] + noise[j])
        is_second_order = j >= 2 and abs(residual[j - 2] - residual[j - 1]) >= policy.ORDER_SEEN * gap
        has_order = is_noise or is_second_order
        bounds[j] = policy.SIGMAS * noise[j] + (gap / policy.TRUNCATION_SAFETY if has_order else gap)
    return bounds


def plateau(ladder: Ladder, eps_f: float) -> Plateau | None:
    """Best admissible rung, None where no step size gives a stable difference.

    Every finer rung has to repeat the residual within its noise, and the measured derivative
    itself has to settle: on a chaotic objective it grows like 1/h while a huge gradient makes the
    residual look constant.
    """
    noise, residual, measured = ladder.noise(eps_f), ladder.residual, ladder.measured
    bounds = half_widths(ladder, eps_f)
    best: Plateau | None = None
    for j in range(1, residual.size):
        finer = np.arange(j + 1, residual.size)
        is_repeated = np.all(np.abs(residual[finer] - residual[j]) <= bounds[j] + policy.SIGMAS * noise[finer])
        others = np.append(finer, j - 1)
        larger = np.maximum(np.abs(measured[others]), abs(measured[j]))
        allowed = policy.SIGMAS * (noise[others] + noise[j]) + 0.5 * larger
        is_settled = np.all(np.abs(measured[others] - measured[j]) <= allowed)
        if is_repeated and is_settled and (best is None or bounds[j] < best.half_width):
            best = Plateau(j, float(bounds[j]), float(policy.SIGMAS * noise[j] / bounds[j]) if bounds[j] > 0.0 else 0.0)
    return best


def growth_exponent(ladder: Ladder, eps_f: float) -> float | None:
    """Exponent p of |measured| ~ h**p over the four finest rungs, None where noise hides it."""
    finest = slice(-4, None)
    size = np.abs(ladder.measured[finest])
    if size.size < 3 or np.any(size <= policy.SIGMAS * ladder.noise(eps_f)[finest]):
        return None
    return float(np.polyfit(np.log(ladder.h[finest]), np.log(size), 1)[0])
