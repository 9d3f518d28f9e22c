"""Four knots and five cables under gravity, stepped with the symplectic Euler rule."""

import numpy as np

STEPS, DT = 24, 0.02
REST = np.array([[0, 0, 0], [1, 0, 0], [0.5, -0.7, 0.1], [0.6, -1.4, 0.2]], dtype=np.float32).astype(np.float64)
LINKS = np.array([[0, 2], [1, 2], [2, 3], [0, 3], [1, 3]])
FREE = np.array([0.0, 0.0, 1.0, 1.0])
SPAN = REST[LINKS[:, 1]] - REST[LINKS[:, 0]]
GOAL = REST + np.array([[0, 0, 0], [0, 0, 0], [0.02, 0.1, 0], [-0.05, 0.2, 0]])
GRAVITY = np.array([0.0, -9.8, 0.0])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    pull = SPAN / np.linalg.norm(SPAN, axis=1, keepdims=True) * parameters["tension"][:, None] ** 2
    x, v = REST.copy(), np.zeros_like(REST)
    for _ in range(STEPS):
        f = 30.0 * (x[LINKS[:, 1]] - x[LINKS[:, 0]] - SPAN) + pull
        force = np.zeros_like(x)
        np.add.at(force, LINKS[:, 0], f)
        np.subtract.at(force, LINKS[:, 1], f)
        v = v + DT * FREE[:, None] * (force + GRAVITY)
        x = x + DT * v
    return float(np.sum((x - GOAL) ** 2))
