"""Echo levels with wall gain and air loss."""

import numpy as np

T = np.linspace(0.1, 2.0, 10)
RECORDED = 1.2 * np.exp(-1.1 * T)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    a, b, c = parameters["source"]
    return float(np.sum((a * (1.0 + b * T) * np.exp(-c * T) - RECORDED) ** 2))
