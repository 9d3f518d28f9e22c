"""Pinhole camera with one distortion term and a principal point."""

import numpy as np

_RNG = np.random.default_rng(9)
WORLD = np.stack([_RNG.uniform(-1, 1, 30), _RNG.uniform(-1, 1, 30), _RNG.uniform(2, 4, 30)], axis=1)
U = WORLD[:, :2] / WORLD[:, 2:]
R2 = np.sum(U * U, axis=1, keepdims=True)
PIXELS = 1.3 * (1 - 0.15 * R2) * U + [0.05, -0.02]


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    focal, distortion, cx, cy = parameters["lens"]
    image = focal * (1.0 + distortion * R2) * U + np.array([cx, cy])
    return float(np.sum((image - PIXELS) ** 2) / 30)
