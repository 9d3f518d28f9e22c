"""Rain through three funnels into channels, with a loss that grows with each tip."""

import numpy as np

RAIN = np.array([[1.0, 0.4, 0.0], [0.5, 0.8, 1.2], [0.0, 0.3, 0.9], [0.7, 0.2, 0.4], [1.1, 0.0, 0.3], [0.2, 0.6, 0.5]])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    area = parameters["area"]
    water = RAIN * area
    channel = np.sum(water * (1.0 - 0.1 * water), axis=0)
    return float(np.sum((channel - np.array([3.1, 2.7, 2.6])) ** 2 + 0.02 * area**2))
