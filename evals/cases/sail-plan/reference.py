"""Negative drive of three sails with camber and twist."""

import numpy as np

WIND = np.array([1.0, 1.3, 0.7])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    camber, twist = parameters["shape"].reshape(3, 2).T
    lift = WIND * (2.0 * camber - 4.0 * camber**2)
    return float(np.sum(-lift * np.cos(3.0 * twist) + 0.3 * twist * (twist - 0.2)))
