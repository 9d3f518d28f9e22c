"""Twelve relaxation sweeps of a head field, as the program makes them."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    recharge = np.where(np.arange(12) >= 6, parameters["recharge"][1], parameters["recharge"][0]) ** 2
    h = np.zeros((12, 12))
    for _ in range(12):
        out = np.zeros((12, 12))
        around = h[:-2, 1:-1] + h[2:, 1:-1] + h[1:-1, :-2] + h[1:-1, 2:]
        out[1:-1, 1:-1] = 0.25 * (around + recharge[None, 1:-1])
        h = out
    wells, seen = ([3, 6, 8, 5], [3, 8, 4, 9]), np.array([0.9, 1.6, 1.1, 1.3])
    return float(np.sum((h[wells] - seen) ** 2))
