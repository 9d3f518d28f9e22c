"""A layer of four features with two linear heads."""

import numpy as np

X = np.linspace(-2.0, 2.0, 20, dtype=np.float32).astype(np.float64)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    w = parameters["trunk"]
    f = np.tanh(np.outer(X, w[:, 0]) + w[:, 1])
    reflectance = np.sum((f @ parameters["head_reflectance"] - np.exp(-(X**2))) ** 2) / 20
    temperature = np.sum((f @ parameters["head_temperature"] - np.sin(1.5 * X)) ** 2) * 0.3 / 20
    return float(reflectance + temperature)
