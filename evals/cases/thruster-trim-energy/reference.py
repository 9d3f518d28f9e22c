"""Cost of two thruster settings over an orbit, above a reference."""

import numpy as np

THETA = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
WANTED = 0.4 * np.cos(THETA) - 0.2 * np.sin(2.0 * THETA) + 0.1


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    a, b = parameters["trim"]
    return float(256.0 + 0.001 * np.sum((a * np.cos(THETA) + b * np.sin(2.0 * THETA) - WANTED) ** 2))
