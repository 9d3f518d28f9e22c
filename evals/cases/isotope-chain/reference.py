"""Child activity of a two-member decay chain."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    r0, r1 = parameters["rate"]
    parent, child = np.array([0.5, 1.0, 1.6]), np.zeros(3)
    for _ in range(30):
        made = r0 * parent
        child = child + 0.05 * (made - r1 * child)
        parent = parent - 0.05 * made
    return float(np.sum(4.0 * (child - np.array([0.15, 0.32, 0.50])) ** 2))
