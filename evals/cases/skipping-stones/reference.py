"""Skipping stones: distance after a counted number of hops."""

import numpy as np

SPEED = np.array([2.0, 2.4, 3.1, 3.5, 2.8, 4.0, 1.6])
HOPS = [3, 4, 6, 8, 5, 9, 2]
MEASURED = np.array([2.9, 4.2, 6.9, 8.7, 5.5, 10.0, 1.8])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    drag, keep = parameters["water"]
    total = 0.0
    for v, hops, seen in zip(SPEED, HOPS, MEASURED, strict=True):
        x = 0.0
        for _ in range(hops):
            x += 0.4 * v * v / (1.0 + 0.2 * v)
            v = keep * v - drag * 0.3 * v * v
        total += ((x - seen) / seen) ** 2
    return float(total)
