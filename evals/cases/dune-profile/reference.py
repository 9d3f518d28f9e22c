"""A dune moved by wind and slumping on a ring of cells."""

import numpy as np

X = np.arange(16) / 16
INITIAL = 0.2 + 0.8 * np.exp(-30.0 * (X - 0.35) ** 2)
SEEN = 0.35 + 0.35 * np.exp(-20.0 * (X - 0.6) ** 2)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    wind, slump = parameters["params"]
    h = INITIAL.copy()
    for _ in range(12):
        west, east = np.roll(h, 1), np.roll(h, -1)
        h = h - 0.4 * wind * (h * h - west * west) + 0.4 * slump * (west + east - 2.0 * h)
    return float(np.sum((h - SEEN) ** 2) + 16 * 0.002 * slump**2)
