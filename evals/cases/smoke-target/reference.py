"""Smoke on a periodic grid: bilinear back-tracing, buoyancy, eight pressure sweeps per step."""

import numpy as np

N = 14
X, Y = np.mgrid[0:N, 0:N]
BLOB = 0.05 + 1.4 * np.exp(-0.25 * ((X - 6.0) ** 2 + (Y - 6.5) ** 2))


def _trace(field: np.ndarray, u: np.ndarray) -> np.ndarray:
    x, y = X - 0.6 * u[0], Y - 0.6 * u[1]
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    a, b = x - i, y - j
    i, j, k, m = i % N, j % N, (i + 1) % N, (j + 1) % N
    low = (1 - b) * field[..., i, j] + b * field[..., i, m]
    return (1 - a) * low + a * ((1 - b) * field[..., k, j] + b * field[..., k, m])


def _difference(f: np.ndarray, axis: int) -> np.ndarray:
    return 0.5 * (np.roll(f, -1, axis) - np.roll(f, 1, axis))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    dye = np.full((N, N), 0.05)
    for k, strength in enumerate(parameters["sources"]):
        dye += strength * np.exp(-0.5 * ((X - 3.0) ** 2 + (Y - 2.0 - 3.0 * k) ** 2))
    u = np.zeros((2, N, N))
    for _ in range(10):
        u = _trace(u, u)
        u[0] += 1.5 * 0.6 * dye
        div, p = _difference(u[0], 0) + _difference(u[1], 1), np.zeros((N, N))
        for _ in range(8):
            p = 0.25 * (sum(np.roll(p, s, axis) for s in (1, -1) for axis in (0, 1)) - div)
        u = u - np.stack([_difference(p, 0), _difference(p, 1)])
        dye = _trace(dye, u)
    return float(0.1 * np.sum((dye - BLOB) ** 2))
