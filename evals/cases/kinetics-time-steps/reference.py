"""Two species with a quadratic forward and a linear backward reaction."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    k = parameters["rates"]
    a, b = 1.0, 0.2
    for dt in (0.4, 0.3, 0.22, 0.16, 0.12, 0.08, 0.05):
        net = k[1] * b - k[0] * a * a
        a, b = a + dt * net, b - dt * net
    return float((a - 0.35) ** 2 + (b - 0.85) ** 2)
