"""The noise of the objective: difference tables after Moré and Wild, repeats, and the ulp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from harness.measure import policy

TableStatus = Literal["found", "too-narrow", "too-wide"]


@dataclass(frozen=True)
class NoiseTable:
    """Outcome of one difference table; `sigma` is None when no level of the table is steady."""

    status: TableStatus
    sigma: float | None


@dataclass(frozen=True)
class Noise:
    """`eps_f`: one standard deviation of the objective's noise; `ulp`: its spacing at the baseline.

    `is_known` is False when no difference table settled and only the other two floors are left.
    `is_from_repeats` is True when run-to-run variation makes up most of it.
    """

    eps_f: float
    ulp: float
    is_known: bool
    is_from_repeats: bool

    @property
    def ulps(self) -> float:
        return self.eps_f / self.ulp


def difference_table(values: Sequence[float]) -> NoiseTable:
    """Noise of a function sampled at equally spaced points in a narrow window.

    The k-th differences of a smooth function vanish quickly, those of noise grow by a known
    factor: `gamma_k = (k!)^2 / (2k)!` scales their mean square back to the variance. Three
    consecutive levels within a factor 4 of each other, with signs that alternate, are noise.
    """
    samples = np.asarray(values, dtype=np.float64)
    first = np.diff(samples)
    if np.count_nonzero(first == 0.0) * 2 >= first.size:
        return NoiseTable("too-narrow", None)
    levels, has_sign_change = _levels(samples)
    sigma = None
    for k in range(len(levels) - 2):
        window = levels[k : k + 3]
        if has_sign_change[k] and min(window) > 0.0 and max(window) <= 4.0 * min(window):
            sigma = levels[k]
            break
    spread = float(samples.max() - samples.min())
    if sigma is None or spread > 0.1 * float(np.abs(samples).max()):
        return NoiseTable("too-wide", sigma)
    return NoiseTable("found", sigma)


def _levels(samples: np.ndarray) -> tuple[list[float], list[bool]]:
    levels: list[float] = []
    has_sign_change: list[bool] = []
    differences = samples
    gamma = 1.0
    for k in range(1, samples.size - 1):
        differences = np.diff(differences)
        gamma *= k / (4.0 * k - 2.0)
        levels.append(math.sqrt(gamma * float(np.mean(differences**2))))
        has_sign_change.append(bool(differences.min() < 0.0 < differences.max()))
    return levels, has_sign_change


def offsets(width: float) -> list[float]:
    """Multiples of the direction at which one table samples, the centre (the baseline) left out."""
    half = policy.NOISE_POINTS // 2
    return [width * i / half for i in range(-half, half + 1) if i != 0]


def first_width(x_dtype: np.dtype, objective_dtype: np.dtype) -> float:
    """Half-width of the first table: 8 eps of the coarser of the two precisions."""
    return 8.0 * float(max(np.finfo(x_dtype).eps, np.finfo(objective_dtype).eps))


def next_width(width: float, status: TableStatus) -> float:
    return width * policy.NOISE_FACTOR if status == "too-narrow" else width / policy.NOISE_FACTOR


def floor(
    baseline: float, repeats: Sequence[float], tables: Sequence[NoiseTable], spacing: float, terms: int = 1
) -> Noise:
    """Largest of the four floors; `spacing` is the ulp of the objective, the sum of `terms` numbers.

    Steps as small as a table's change few of the roundings in a long sum, the ladder's change all of them: `terms`
    independent ones, uniform within the spacing of the partial sums, whose mean square is half the last one's.

    Without any table (a budget too small for one) the ulp is all there is; it was up to 79 times
    too small on long programs, so it is taken 8 times wider.
    """
    spread = float(np.std([baseline, *repeats], ddof=1)) if len(repeats) else 0.0
    found = [t.sigma for t in tables if t.status == "found" and t.sigma is not None]
    # A table that is only too wide is still evidence when its levels are steady: an objective near
    # zero moves by more than a tenth of itself in any window.
    settled = found or [t.sigma for t in tables if t.sigma is not None]
    sampled = settled[-1] if settled else 0.0
    spacing_floor = 0.5 * spacing * (1.0 if tables else policy.ROUNDING_ULPS)
    summed = spacing * math.sqrt((terms - 1) / 24.0)
    eps_f = max(sampled, spread, spacing_floor, summed)
    return Noise(eps_f, spacing, bool(settled), spread > 0.0 and spread >= 0.5 * eps_f)
