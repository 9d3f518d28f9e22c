"""Gamma curve of a display over nine grey patches."""

import numpy as np

LEVEL = np.linspace(0.0, 1.0, 9)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    exposure, gamma = parameters["screen"]
    light = np.where(LEVEL > 0.0, exposure * np.where(LEVEL > 0.0, LEVEL, 1.0) ** gamma, 0.0)
    return float(np.sum((light - 0.95 * LEVEL**2.2) ** 2))
