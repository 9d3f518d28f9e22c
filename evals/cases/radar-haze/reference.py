"""Echoes of three hazy layers at five elevations."""

import numpy as np

ANGLES = np.array([0.3, 0.5, 0.8, 1.1, 1.4])
MEASURED = np.array([0.75, 0.85, 1.0, 1.1, 1.15])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    scene = parameters["scene"]
    layer = np.arange(3)
    haze = np.exp(-scene[3] * (1.0 + layer))
    echo = np.sum(scene[:3] * haze * np.sin(ANGLES[:, None] * (0.6 + 0.4 * layer)) + 0.2 * scene[3], axis=1)
    return float(np.sum((echo - MEASURED) ** 2))
