"""Capacity fade of four cells over 25 cycles, with a weak prior."""

import numpy as np

DEPTH = np.array([0.3, 0.5, 0.7, 1.0])
SEEN = np.array([0.75, 0.62, 0.52, 0.40])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    k = parameters["k"]
    c, film = np.ones(4), 0.1
    for _ in range(25):
        film = film + 0.06 * k[0] / (0.2 + film)
        c = c - 0.04 * k[1] * DEPTH * film * c
    return float(np.sum((c - SEEN) ** 2) + 0.005 * np.sum((k - 0.8) ** 2))
