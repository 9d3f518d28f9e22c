"""Means with intervals. Cases of one family are not independent, nor are trials of one case: both are resampled.

An interval is the 2.5 and 97.5 % quantile over resamples: families with replacement, and within each case its trials
with replacement. Arms are compared case by case, with the same families in each resample.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evals.result import TrialResult

RESAMPLES = 2000

Value = Callable[[TrialResult], "float | None"]
"""What is averaged; None: this trial has no such value."""


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float
    cases: int
    trials: int


@dataclass(frozen=True)
class _Case:
    family: str
    values: np.ndarray


def estimate(results: Sequence[TrialResult], value: Value, seed: int = 0) -> Estimate | None:
    """Mean over cases of the mean over their trials; None without any value."""
    cases = _by_case(results, value)
    if not cases:
        return None
    mean = float(np.mean([c.values.mean() for c in cases.values()]))
    means = _resampled([list(cases.values())], seed)[0]
    low, high = np.quantile(means, (0.025, 0.975))
    return Estimate(mean, float(low), float(high), len(cases), sum(c.values.size for c in cases.values()))


def difference(
    first: Sequence[TrialResult], second: Sequence[TrialResult], value: Value, seed: int = 0
) -> Estimate | None:
    """Mean of ``second`` minus mean of ``first`` over the cases that both have; None if there are none."""
    a, b = _by_case(first, value), _by_case(second, value)
    shared = [name for name in a if name in b]
    if not shared:
        return None
    pairs = [[a[n] for n in shared], [b[n] for n in shared]]
    mean = float(np.mean([b[n].values.mean() - a[n].values.mean() for n in shared]))
    means_a, means_b = _resampled(pairs, seed)
    low, high = np.quantile(means_b - means_a, (0.025, 0.975))
    trials = sum(c.values.size for cases in pairs for c in cases)
    return Estimate(mean, float(low), float(high), len(shared), trials)


def _by_case(results: Sequence[TrialResult], value: Value) -> dict[str, _Case]:
    values: dict[str, list[float]] = defaultdict(list)
    families = {}
    for result in results:
        found = value(result)
        if found is not None:
            values[result.case].append(found)
            families[result.case] = result.family
    return {case: _Case(families[case], np.array(v)) for case, v in values.items()}


def _resampled(arms: list[list[_Case]], seed: int) -> np.ndarray:
    """Resampled means, one row per arm; all arms have the same cases in the same order."""
    random = np.random.default_rng(seed)
    names = sorted({c.family for c in arms[0]})
    members = [np.array([i for i, c in enumerate(arms[0]) if c.family == name]) for name in names]
    drawn = random.integers(0, len(names), (RESAMPLES, len(names)))
    # weight[r, f]: how often family f is in resample r
    weight = np.stack([(drawn == f).sum(axis=1) for f in range(len(names))], axis=1).astype(float)
    rows = []
    for cases in arms:
        draws = [random.integers(0, c.values.size, (RESAMPLES, c.values.size)) for c in cases]
        means = np.stack([c.values[d].mean(axis=1) for c, d in zip(cases, draws, strict=True)], axis=1)
        sums = np.stack([means[:, m].sum(axis=1) for m in members], axis=1)
        counts = np.array([m.size for m in members], dtype=float)
        rows.append((weight * sums).sum(axis=1) / (weight * counts).sum(axis=1))
    return np.stack(rows)


def pass_at_k(solved: Sequence[bool], k: int) -> float | None:
    """Chance that at least one of k trials is solved, estimated without bias from n >= k; None if n < k."""
    n, good = len(solved), sum(solved)
    return 1.0 - math.comb(n - good, k) / math.comb(n, k) if n >= k else None


def pass_hat_k(solved: Sequence[bool], k: int) -> float | None:
    """Chance that all of k trials are solved (pass^k); None if n < k."""
    n, good = len(solved), sum(solved)
    return math.comb(good, k) / math.comb(n, k) if n >= k else None
