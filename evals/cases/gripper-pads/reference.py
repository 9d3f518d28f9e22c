"""A block pushed to a mark between two one-sided springs."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    push, hold = parameters["force"]
    x = v = 0.0
    for k in range(60):
        contact = 40.0 * (max(0.02 - x, 0.0) - max(x - 0.3, 0.0))
        v = v + 0.02 * (push * np.exp(-0.5 * k * 0.02) - hold + contact - 1.5 * v)
        x = x + 0.02 * v
    return float((x - 0.35) ** 2 + 0.1 * v**2)
