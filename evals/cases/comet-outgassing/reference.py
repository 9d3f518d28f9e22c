"""A comet in a central field with a radial push, symplectic Euler."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    vx, vy, push = parameters["params"]
    x, v = np.array([1.0, 0.0]), np.array([vx, vy])
    for _ in range(24):
        r = np.linalg.norm(x)
        v = v + 0.08 * (-x / r**3 + push * x / r)
        x = x + 0.08 * v
    return float(np.sum((x - np.array([-0.35, 0.95])) ** 2))
