"""A skater over two ramps with fatigue and a speed limiter."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    push, friction = parameters["p"]
    x, v, tired, total = 0.0, push, 0.1, 0.0
    for slope, mark in ((0.5, 1.0), (-0.1, 1.8)):
        for _ in range(10):
            drag = friction * v * v
            x, new_v = x + 0.08 * v, v + 0.08 * (slope - drag - 0.8 * tired * v)
            if new_v > 1.45:
                new_v = 1.45 + 0.6 * (new_v - 1.45)
            v, tired = new_v, tired + 0.08 * (1.5 * drag - 0.2 * tired)
        total += (x - mark) ** 2
    return float(total)
