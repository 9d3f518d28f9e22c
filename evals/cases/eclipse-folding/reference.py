"""An eclipsing star whose light curve is folded at a frequency."""

import numpy as np

DAYS = np.linspace(0.1, 6.0, 24)
OBSERVED = 1.0 - 0.6 * np.exp(-12.0 * ((0.80 * DAYS + 0.14) % 1.0 - 0.5) ** 2)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    frequency, epoch, depth = parameters["params"]
    phase = (frequency * DAYS + epoch) % 1.0
    return float(np.sum((1.0 - depth * np.exp(-12.0 * (phase - 0.5) ** 2) - OBSERVED) ** 2))
