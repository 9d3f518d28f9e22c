"""Temperature of a plasma column with conduction, heating and a quadratic loss."""

import numpy as np

HEAT = np.exp(-0.1 * (np.arange(20) - 6.0) ** 2)


def _run(p: np.ndarray) -> np.ndarray:
    t = np.full(20, 0.5)
    for _ in range(12):
        lap = np.r_[t[0], t[:-1]] - 2.0 * t + np.r_[t[1:], t[-1]]
        t = t + 0.3 * p[0] * lap + 0.1 * p[1] * HEAT - 0.05 * t * t
    return t


SEEN = _run(np.array([0.8, 0.9]))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    return float(np.sum((_run(parameters["p"]) - SEEN) ** 2))
