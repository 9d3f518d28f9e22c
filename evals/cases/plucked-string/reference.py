"""A damped string that is plucked in three places during the first eight steps."""

import numpy as np


def _run(pluck: np.ndarray) -> np.ndarray:
    now, old = np.zeros(24), np.zeros(24)
    place = np.arange(24) // 8
    for k in range(50):
        new = old.copy()
        push = 0.01 * pluck[place] * np.sin(0.4 * k) if k < 8 else np.zeros(24)
        bend = now[:-2] - 2.0 * now[1:-1] + now[2:]
        new[1:-1] = 1.96 * now[1:-1] - 0.96 * old[1:-1] + 0.4 * bend + push[1:-1]
        now, old = new, now
    return now


SEEN = _run(np.array([0.5, -0.3, 0.8]))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    return float(10.0 * np.sum((_run(parameters["pluck"]) - SEEN) ** 2))
