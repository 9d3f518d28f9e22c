"""Field of three dipoles at seven probes."""

import numpy as np

SITE = np.array([[-1.0, 0.0, 0.0], [0.0, 0.2, 0.0], [1.0, -0.1, 0.0]])
PROBE = np.array([[x, 0.0, 1.2] for x in np.linspace(-0.8, 0.8, 7)])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    moment = parameters["moment"]
    d = PROBE[None] - SITE[:, None]
    r = np.linalg.norm(d, axis=2, keepdims=True)
    n = d / r
    along = np.sum(moment[:, None] * n, axis=2, keepdims=True)
    b = np.sum((3.0 * along * n - moment[:, None]) / r**3, axis=0)
    return float(np.sum((b - np.array([0.0, 0.0, 0.5])) ** 2))
