"""Bed of eight cells that moves downstream and is scoured at the end."""

import numpy as np

SEEN = np.array([0.5, 0.6, 0.62, 0.6, 0.55, 0.5, 0.45, 0.7])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    settle, scour = parameters["params"]
    bed = np.full(8, 1.0)
    for _ in range(8):
        moved = settle * bed * bed
        gain = -moved
        gain[1:] += 0.8 * moved[:-1]
        gain[7] += 0.8 * moved[7]
        bed = bed + 0.15 * gain
    bed = bed * np.exp(-0.1 * scour * (1.0 + 0.3 * np.arange(8)))
    return float(np.sum((bed - SEEN) ** 2))
