"""Step response of three membrane cells, relative to the measured ones."""

import numpy as np

T = 2.0e-4 * (np.arange(30) + 1.0)


def _response(modulus: np.ndarray, tau: np.ndarray) -> np.ndarray:
    return (1000.0 / modulus)[:, None] * (1.0 - np.exp(-T / tau[:, None]))


SEEN = _response(np.array([2.0e5, 1.5e5, 3.1e5]), np.array([1.0e-3, 2.5e-3, 1.6e-3]))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    return float(np.sum((_response(parameters["modulus"], parameters["tau"]) / SEEN - 1.0) ** 2) / 90.0)
