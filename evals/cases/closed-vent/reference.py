"""Cooling of four kiln zones; the second has no sensor, and the vent is closed."""

import numpy as np

ZONE_OF = [0, 2, 3, 2]
SEEN = np.array([0.42, 0.61, 0.35, 0.6])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    temp = np.ones(4)
    for _ in range(15):
        temp = temp - 0.1 * parameters["coeff"] * (temp - 0.2)
    return float(10.0 * np.sum((temp[ZONE_OF] - SEEN) ** 2))
