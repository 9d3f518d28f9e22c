"""Spin of ten rings with a drive, mixing and cubic friction."""

import numpy as np

R = (np.arange(10) + 0.5) / 10
SEEN = 1.2 - 0.9 * np.linspace(0.05, 0.95, 10)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    drive, friction, mixing = parameters["params"]
    w = np.full(10, 1.3)
    for _ in range(12):
        lap = np.r_[w[0], w[:-1]] + np.r_[w[1:], w[-1]] - 2.0 * w
        w = w + 0.2 * (drive * np.exp(-4.0 * R) + mixing * lap - friction * w**3)
    return float(np.sum((w - SEEN) ** 2))
