"""Five cups that lose heat by a linear and a quadratic law."""

import numpy as np

HOT = np.linspace(1.0, 2.2, 5).astype(np.float32).astype(np.float64)
SEEN = np.array([0.42, 0.46, 0.50, 0.53, 0.55], dtype=np.float32).astype(np.float64)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    p = parameters["params"]
    t = HOT.copy()
    for _ in range(40):
        t = t - 0.05 * (p[0] * t + p[1] * t * t) + 0.008
    return float(np.sum((t - SEEN) ** 2) + len(HOT) * 0.002 * p[0] ** 2)
