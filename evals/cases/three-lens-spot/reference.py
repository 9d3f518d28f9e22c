"""Eleven rays through three lenses with a cubic aberration."""

import numpy as np

Y = np.linspace(-0.5, 0.5, 11)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    y, slope = Y.copy(), 0.1 * Y**2
    for k, power in enumerate(parameters["powers"]):
        slope = slope - power * (y + 0.2 * y**3)
        y = y + (0.5 + 0.1 * k) * slope
    return float(np.mean(y**2))
