"""Bars of unit length between four nodes; each bar counts twice."""

import numpy as np

BARS = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    node = parameters["node"]
    return float(sum(2.0 * (np.linalg.norm(node[i] - node[j]) - 1.0) ** 2 for i, j in BARS))
