"""Grains in three size bins against the wanted measure of each bin."""

import numpy as np

D = np.random.default_rng(4).uniform(0.2, 1.7, 24)
WANTED = np.array([0.3, 0.8, 1.5])[(D > 0.6).astype(int) + (D > 1.2)]


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    factor, wear = parameters["shape"]
    value = factor * D / (1.0 + wear * D)
    return float(np.sum((value - WANTED) ** 2) * (1.0 + 0.1 * wear))
