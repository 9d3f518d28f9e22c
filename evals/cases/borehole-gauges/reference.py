"""Overburden pressure down five layers with a compaction term."""

import numpy as np

THICKNESS = np.array([0.4, 0.3, 0.5, 0.2, 0.6])
GAUGE = np.cumsum([0.5, 0.4, 0.8, 0.3, 0.9])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    pressure, total = 0.0, 0.0
    for density, thickness, seen in zip(parameters["density"], THICKNESS, GAUGE, strict=True):
        pressure = pressure + density * thickness * (1.0 + 0.1 * pressure)
        total += (pressure - seen) ** 2
    return float(total)
