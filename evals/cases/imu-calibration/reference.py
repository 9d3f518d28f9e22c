"""Accelerometer with scale, bias and a drift with temperature; pseudo-Huber misfit."""

import numpy as np

_RNG = np.random.default_rng(3)
_D = _RNG.normal(size=(24, 3))
TRUE = 9.81 * _D / np.linalg.norm(_D, axis=1, keepdims=True)
_WARM = _RNG.uniform(-1.0, 1.5, 24)
T = (_WARM + 0.3 * _WARM**2)[:, None]
RAW = TRUE * [1.04, 0.97, 1.02] + [0.15, -0.22, 0.08] + T * [0.09, 0.02, -0.12] + _RNG.normal(0.0, 0.03, (24, 3))
DELTA = 0.35


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    r = TRUE * parameters["scale"] + parameters["bias"] + T * parameters["drift"] - RAW
    return float(np.sum(DELTA**2 * (np.sqrt(1.0 + np.sum(r * r, axis=1) / DELTA**2) - 1.0)))
