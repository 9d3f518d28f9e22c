"""Charged beads on a ring: springs to both neighbours, softened repulsion between all pairs, overdamped motion."""

import numpy as np

ANGLE = np.linspace(0.0, 2.0 * np.pi, 6, endpoint=False)
RING = np.stack([np.cos(ANGLE), 0.7 * np.sin(ANGLE)], axis=1)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    spring, charge = parameters["params"]
    x = RING.copy()
    for _ in range(10):
        d = x[:, None] - x[None, :]
        force = np.sum(charge * d / (np.sum(d * d, axis=2) + 0.3)[..., None], axis=1)
        force += spring * (np.roll(x, 1, axis=0) + np.roll(x, -1, axis=0) - 2.0 * x)
        x = x + 0.12 * force
    return float(np.sum((x - 0.55 * RING) ** 2))
