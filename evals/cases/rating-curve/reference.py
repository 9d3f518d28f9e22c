"""Power law between stage and discharge."""

import numpy as np

_RNG = np.random.default_rng(3)
STAGE = np.sort(_RNG.uniform(0.8, 2.5, 40))
FLOW = 3.0 * (STAGE - 0.3) ** 1.6 * (1.0 + 0.02 * _RNG.normal(size=40))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    a, zero, power = parameters["p"]
    return float(np.mean((a * (STAGE - zero) ** power - FLOW) ** 2))
