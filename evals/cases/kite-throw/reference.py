"""A kite in a sheared wind with a quadratic lift correction."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    p, v = np.zeros(3), parameters["launch_velocity"][0].copy()
    for _ in range(7):
        v = v - 0.1 * 0.4 * (v - np.array([0.5 * p[2], 0.0, 0.0]))
        rise = v[2] - 0.1 * 0.5 * v[2] ** 2
        v = np.array([v[0] * (1.0 - 0.3 * 0.1 * rise), v[1], rise])
        p = p + 0.1 * v
    return float(np.sum((p - np.array([1.0, 0.5, 1.5])) ** 2))
