"""A ferry with quadratic drag relative to the current."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    drag, current = parameters["params"]
    x = v = 0.0
    for _ in range(12):
        rel = current - v
        v = v + 0.2 * drag * rel * abs(rel) + 0.2 * 0.05
        x = x + 0.2 * v
    return float((x - 1.4) ** 2 + (v - 0.8) ** 2)
