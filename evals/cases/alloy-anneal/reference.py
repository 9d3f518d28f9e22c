"""Cahn-Hilliard on a 16 x 16 torus with a quench depth per stage; misfit of the final pattern and of the schedule."""

import numpy as np

N, STEPS, DT, STIFF = 16, 12, 0.05, 0.45
X, Y = np.mgrid[0:N, 0:N] * (2.0 * np.pi / N)
NOISE = 0.03 * np.random.default_rng(4).normal(size=(N, N))
_ROUGH = 0.25 * np.sin(3.0 * Y + 0.8) + 0.15 * np.cos(2.0 * Y)
WANTED = 0.62 * np.tanh(1.8 * np.sin(2.0 * X + _ROUGH)) + 0.02 * np.random.default_rng(21).normal(size=(N, N))


def _laplacian(f: np.ndarray) -> np.ndarray:
    return sum(np.roll(f, s, axis) for s in (1, -1) for axis in (0, 1)) - 4.0 * f


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    a, b = parameters["waves"]
    c = NOISE + a * np.sin(2.0 * X) + b * np.cos(2.0 * X + Y)
    for depth in parameters["depth"]:
        for _ in range(STEPS):
            mu = c**3 - depth * c - STIFF * _laplacian(c)
            c = c + DT * (1.0 - 0.4 * c**2) * _laplacian(mu)
    return float(np.mean((c - WANTED) ** 2) + 0.02 * np.sum(np.diff(parameters["depth"]) ** 2))
