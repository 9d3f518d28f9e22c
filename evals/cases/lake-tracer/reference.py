"""Tracer in four lakes after three months of exchange."""

import numpy as np

EXCHANGE = np.array([[0.8, 0.1, 0.0, 0.0], [0.2, 0.7, 0.2, 0.0], [0.0, 0.2, 0.7, 0.0], [0.0, 0.0, 0.1, 1.0]])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    release = parameters["release"]
    tracer = np.linalg.matrix_power(EXCHANGE, 3) @ release
    return float(np.sum((tracer - np.array([0.5, 0.6, 0.4, 0.9])) ** 2 + 0.05 * release**2))
