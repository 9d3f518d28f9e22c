"""A field of twenty leaky rectifiers."""

import numpy as np

_RNG = np.random.default_rng(19)
WHERE = _RNG.uniform(-1.0, 1.0, (48, 2))
DENSITY = np.exp(-3.0 * (WHERE[:, 0] - 0.2) ** 2 - 2.0 * (WHERE[:, 1] + 0.1) ** 2)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    w = parameters["w"]
    h = WHERE @ w[:, :2].T + w[:, 2]
    out = np.maximum(h, 0.1 * h) @ parameters["v"]
    return float(np.mean((out - DENSITY) ** 2))
