"""Cost of a tethered kite's flight, summed over all steps."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    law = parameters["law"]
    x, v, w = 1.0, 0.3, 0.0
    cost = 0.0
    for k in range(32):
        pull = law[0] * x + law[1] * v
        w = w + 0.1 * (law[2] * pull - 0.5 * w)
        v = v + 0.1 * (np.sin(2.0 * k * 0.1) - pull - w)
        x = x + 0.1 * v
        cost += x * x + 0.1 * w * w + 0.001 * law[0] ** 2
    return float(cost)
