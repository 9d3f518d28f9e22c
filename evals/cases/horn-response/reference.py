"""Band powers of a horn against the wanted ones."""

import numpy as np

F = 0.3 + 0.2 * np.arange(10)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    s = parameters["shape"]
    out = (s[0] + s[1] * F + s[2] * np.sin(2.0 * F)) / (1.0 + 0.3 * F * F)
    return float(0.2 * np.sum((out**2 - np.linspace(0.9, 0.4, 10)) ** 2))
