"""Least squares of three filter taps."""

import numpy as np

SOUND = np.random.default_rng(17).normal(size=50)
REF = 0.7 * SOUND[2:] - 0.3 * SOUND[1:-1] + 0.15 * SOUND[:-2]


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    c = parameters["coefficients"]
    return float(np.sum((c[0] * SOUND[2:] + c[1] * SOUND[1:-1] + c[2] * SOUND[:-2] - REF) ** 2))
