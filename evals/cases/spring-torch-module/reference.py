"""Twelve damped moves of four masses between walls."""

import numpy as np

LOAD = np.array([0.9, 0.4, 0.7, 1.0])
SEEN = np.array([0.42, 0.35, 0.36, 0.50])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    x = np.zeros(4)
    for _ in range(12):
        padded = np.pad(x, 1)
        x = x + 0.15 * (LOAD - parameters["k"] * x - 0.5 * (2.0 * x - padded[:-2] - padded[2:]))
    return float(np.sum((x - SEEN) ** 2))
