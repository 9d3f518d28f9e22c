"""Particles above a cut, queued in their order, against a prescription by place in the queue."""

import numpy as np

_RNG = np.random.default_rng(8)
MOMENTUM = _RNG.uniform(0.2, 1.6, 12)
WANT = _RNG.uniform(0.3, 1.6, 12)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    current, opening = parameters["beam"]
    energy = current * MOMENTUM**2
    queue = energy[energy > 0.3] * opening
    return float(np.sum((np.sqrt(queue) - WANT[: queue.size]) ** 2))
