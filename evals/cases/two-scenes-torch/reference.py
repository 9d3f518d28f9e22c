"""Light levels of a box after five bounces, photographed twice."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    albedo, haze, gain = parameters["p"]
    total = 0.0
    for start, low, high in ((0.3, 0.30, 0.46), (1.6, 0.42, 0.55)):
        level = np.full(6, start)
        for _ in range(5):
            incoming = 0.4 * level + 0.25 * (np.roll(level, 1) + np.roll(level, -1)) + 0.03 * np.arange(6)
            level = albedo * incoming / (1.0 + haze * incoming**2)
        total += np.sum((gain * np.sqrt(level + 0.05) - np.linspace(low, high, 6)) ** 2)
    return float(total)
