"""A ball with quadratic drag in a wind, thrown at a target."""

import numpy as np

WIND, TARGET = np.array([-1.0, 0.0, 0.8]), np.array([9.0, 0.2, -1.0])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    start = parameters["launch"][0]
    pos, vel = np.array([0.0, 1.6, 0.0]), start.copy()
    for _ in range(40):
        rel = vel - WIND
        drag = 0.05 * np.linalg.norm(rel) * rel
        pos, vel = pos + 0.04 * vel, vel + 0.04 * (np.array([0.0, -9.81, 0.0]) - drag)
    return float(np.sum((pos - TARGET) ** 2) + 0.002 * np.sum(start**2))
