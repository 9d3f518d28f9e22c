"""Four reservoirs that spill into the next one."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    level = np.array([2.0, 1.2, 0.8, 0.5])
    for _ in range(12):
        q = parameters["valve"] * level[:3] ** 2 / (1.0 + level[:3])
        net = np.full(4, 0.05)
        net[:3] -= q
        net[1:] += q
        level = level + 0.3 * net
    return float(np.sum((level - np.array([1.2, 1.1, 1.3, 1.6])) ** 2))
