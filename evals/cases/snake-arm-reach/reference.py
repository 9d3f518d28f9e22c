"""Tips of a snake arm from two bases, with an effort term."""

import numpy as np

GOAL = np.array([[0.7, 1.3], [0.2, 1.5]])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    bend = parameters["bend"]
    total = 0.002 * np.sum(bend**2)
    for base in range(2):
        angle = 0.3 * base + np.cumsum(bend) * (1.0 - 0.1 * base)
        tip = np.array([0.0, 0.1 * base]) + 0.09 * np.array([np.sum(np.cos(angle)), np.sum(np.sin(angle))])
        total += np.sum((tip - GOAL[base]) ** 2)
    return float(total)
