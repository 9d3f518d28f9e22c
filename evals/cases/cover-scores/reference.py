"""Log cover of three species on five plots, trace below -4."""

import numpy as np

SITE = np.array([[0.9, 0.4, 1.5], [0.6, 0.0, 2.4], [1.1, 0.3, 0.5], [0.8, 0.7, 1.2], [0.5, 0.25, 0.6]])
FIELD = np.array([[-0.4, -1.6, -0.1], [-0.7, -4.0, 0.2], [-0.3, -1.9, -0.9], [-0.5, -1.2, -0.2], [-0.9, -2.0, -0.7]])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    cover = parameters["strength"] ** 2 * SITE / (1.0 + SITE)
    return float(np.sum((np.log(np.maximum(cover, np.exp(-4.0))) - FIELD) ** 2))
