"""A band ratio of pixels that are smoothed by three taps."""

import numpy as np

_RNG = np.random.default_rng(2)
CUBE = _RNG.uniform(0.4, 1.4, (16, 6))
INDEX = _RNG.uniform(0.8, 1.3, 16)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    tap = parameters["tap"]
    s = [tap[0] * CUBE[:, b] + tap[1] * CUBE[:, b + 1] + tap[2] * CUBE[:, b + 2] for b in range(4)]
    return float(np.sum((s[0] * s[2] / (0.5 + s[1] + s[3]) - INDEX) ** 2))
