"""Six grains with quadratic drag that run into a one-sided spring."""

import numpy as np

SEEN = np.linspace(0.62, 0.93, 6)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    drag, stiffness = parameters["p"]
    x, v = np.linspace(0.0, 0.5, 6), np.linspace(0.4, 1.2, 6)
    for _ in range(30):
        overlap = np.maximum(x - 1.0, 0.0)
        v = v + 0.04 * (1.1 - drag * v * np.abs(v) - stiffness * overlap - 0.6 * v)
        x = x + 0.04 * v
    return float(np.sum((x - SEEN) ** 2))
