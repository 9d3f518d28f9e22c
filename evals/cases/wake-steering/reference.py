"""A row of six yawed turbines with wakes."""

import numpy as np

_RNG = np.random.default_rng(2)
X = np.sort(_RNG.uniform(0.0, 10.0, 6))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    yaw = parameters["yaw"]
    speed = np.full(6, 0.1 * np.hypot(9.0, 1.0))
    for i in range(6):
        for j in range(6):
            gap = X[i] - X[j]
            if gap > 0.0:
                speed[i] -= 0.35 * np.exp(-0.1 * gap - (np.sin(yaw[j]) * gap * 0.5) ** 2)
    return float(-np.sum(speed**3 * np.cos(yaw) ** 1.9))
