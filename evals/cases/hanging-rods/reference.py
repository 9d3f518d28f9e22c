"""Four rods in a chain, relaxed by eight damped moves."""

import numpy as np

REST = np.array([[0.1 * k, -0.55 * k, 0.0] for k in range(5)])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    stiff = parameters["stiff"]
    node = REST.copy()
    for _ in range(8):
        below = np.diff(node, axis=0)
        length = np.linalg.norm(below, axis=1, keepdims=True)
        f = stiff[:, None] * (length - 0.5) * below / length
        pull = np.zeros_like(node)
        pull[:-1] += f
        pull[1:] -= f
        node[1:] = node[1:] + 0.2 * (pull[1:] + np.array([0.05, -0.3, 0.0]))
    return float(np.sum((node[4] - np.array([0.45, -2.35, 0.0])) ** 2) + 0.0005 * np.sum(stiff**2))
