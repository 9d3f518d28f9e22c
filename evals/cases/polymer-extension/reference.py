"""Squared Chebyshev expansion of a stored energy."""

import numpy as np

X = np.linspace(-0.9, 0.9, 20)
ENERGY = (0.5 + 0.4 * X + 0.3 * X**2) ** 2


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    c = parameters["coefficients"]
    s = np.polynomial.chebyshev.chebval(X, c)
    return float(np.sum((s**2 - ENERGY) ** 2) + 0.001 * 5 * np.sum(c**2))
