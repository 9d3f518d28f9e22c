"""Strain of four relaxed beads against where they were."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    x = parameters["beads"]
    relaxed = 0.5 * x + 0.25 * (x[[0, 0, 1, 2]] + x[[1, 2, 3, 3]])
    goal = np.zeros((4, 3))
    goal[:, 0] = np.arange(4)
    return float(np.sum((relaxed - x) ** 2) + 0.3 * np.sum((relaxed - goal) ** 2))
