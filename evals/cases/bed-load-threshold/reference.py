"""Bed load above a threshold of motion."""

import numpy as np

DISCHARGE = np.array([0.2, 0.4, 0.7, 1.0, 1.5, 2.1, 2.8])
BED_LOAD = np.maximum(0.9 * DISCHARGE - 0.45, 0.0) ** 1.5


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    threshold, slope = parameters["bed"]
    return float(np.sum((np.maximum(slope * DISCHARGE - threshold, 0.0) ** 1.5 - BED_LOAD) ** 2))
