"""A field of two sine layers over a grid of heights."""

import numpy as np

_AXIS = np.linspace(-1, 1, 7)
GRID = np.stack(np.meshgrid(_AXIS, _AXIS), axis=-1).reshape(-1, 2)
HEIGHT = 0.5 * np.sin(2.5 * GRID[:, 0]) * np.cos(2.0 * GRID[:, 1]) + 0.2 * GRID[:, 0]


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    h = GRID
    for name in ("w0", "w1"):
        w = parameters[name]
        h = np.sin(3.0 * (h @ w[:, :-1].T + w[:, -1]))
    out = h @ parameters["w2"][:-1] + parameters["w2"][-1]
    return float(np.mean((out - HEIGHT) ** 2))
