"""A ball with power-dependent friction that bounces off a cushion."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    v = parameters["velocity"][0].copy()
    friction = 0.2 + 0.15 * np.sum(v**2)
    p = np.array([0.0, 0.35])
    for _ in range(20):
        v = v * (1.0 - 0.08 * friction)
        p = p + 0.08 * v
        if p[1] < 0.0 and v[1] < 0.0:
            v, p = np.array([v[0], -0.8 * v[1]]), np.array([p[0], -0.8 * p[1]])
    return float(np.sum((p - np.array([1.2, 0.6])) ** 2))
