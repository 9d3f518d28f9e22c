"""End-point absorbance of a two-stage cascade in twenty wells."""

import numpy as np

S = np.linspace(0.1, 2.0, 20)
_BOUND = S / (0.7 + S)
ABSORBANCE = _BOUND + 0.6 * _BOUND**2


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    binding, turnover = parameters["enzyme"]
    bound = S / (binding + S)
    return float(np.sum((bound + turnover * bound**2 - ABSORBANCE) ** 2))
