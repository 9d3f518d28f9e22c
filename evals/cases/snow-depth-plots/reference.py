"""Snow load along a slope."""

import numpy as np

Z = np.linspace(0.0, 1.0, 14)
_D = 0.9 * Z + 0.8 * np.exp(-2.0 * Z) + 0.1 * np.sin(3.0 * Z)
SURVEY = 0.3 * _D + 0.5 * _D**2


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    p = parameters["params"]
    h = p[0] * Z + p[1] * np.exp(-2.0 * Z) + p[2] * np.sin(3.0 * Z)
    return float(np.sum((0.3 * h + 0.5 * h * h - SURVEY) ** 2))
