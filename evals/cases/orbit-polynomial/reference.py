"""Weighted cubic fit of radar ranges."""

import numpy as np

CLOCK = np.linspace(0.0, 2.4, 60)
ELEVATION = 0.35 + 0.65 * np.sin(np.pi * CLOCK / 2.4)
TRUTH = 2.2 - 1.9 * CLOCK + 0.95 * CLOCK**2 - 0.06 * CLOCK**3
RANGES = TRUTH + np.random.default_rng(41).normal(0.0, 0.02, 60) / ELEVATION


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    y = np.polynomial.polynomial.polyval(CLOCK, parameters["coef"])
    return float(np.sum(ELEVATION**2 * (y - RANGES) ** 2))
