"""Five drones attracted to each other in a wind, gathered at a beacon."""

import numpy as np

INITIAL = np.random.default_rng(12).normal(0.0, 1.0, (5, 2))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    cohesion, wind = parameters["params"]
    share = np.exp(-wind * (1.0 + 0.2 * np.arange(5)))
    x = INITIAL.copy()
    for _ in range(8):
        d = x[None, :] - x[:, None]
        push = np.sum(cohesion * d / (1.0 + np.sum(d * d, axis=2))[..., None], axis=1)
        x = x + 0.2 * (push + share[:, None] * np.array([0.6, 0.2]))
    return float(np.sum((x - np.array([0.4, 0.1])) ** 2))
