"""Filtered readings of twelve sensors; the last one above the level counts."""

import numpy as np

BASIS = np.random.default_rng(6).uniform(0.0, 1.0, (12, 4))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    weight = parameters["weight"]
    reading = BASIS @ weight**2
    above = np.flatnonzero(reading > 1.2)
    alarm = reading[above[-1]] if above.size else 0.0
    return float(4 * 0.25 * (alarm - 1.9) ** 2 + 0.01 * np.sum(weight**2))
