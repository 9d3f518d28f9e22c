"""Six fins: overheating, mass and temperature differences."""

import numpy as np

LOAD = np.array([0.9, 1.2, 1.6, 1.5, 1.1, 0.8])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    length = parameters["length"]
    temp = LOAD / (0.4 + np.tanh(1.3 * length))
    smooth = 0.2 * (temp - np.roll(temp, -1)) ** 2
    return float(np.sum((temp - 0.9) ** 2 + 0.05 * length**2 + smooth))
