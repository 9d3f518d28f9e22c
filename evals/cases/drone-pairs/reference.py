"""Overlaps of close pairs among five drones, with a pull to the origin."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    pos = parameters["pos"]
    total = 0.05 * np.sum(pos**2)
    for i in range(5):
        for j in range(i + 1, 5):
            total += max(0.85 - np.linalg.norm(pos[i] - pos[j]), 0.0) ** 2
    return float(total)
