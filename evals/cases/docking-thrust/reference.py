"""Arrival and fuel of a docking manoeuvre with quadratic drag."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    thrust = parameters["thrust"]
    x = v = 0.0
    for k in range(12):
        v = v + 0.25 * (thrust[k // 3] - 0.1 * v * abs(v))
        x = x + 0.25 * v
    return float((x - 1.0) ** 2 + 2.0 * v**2 + 0.4 * np.sum(thrust**2))
