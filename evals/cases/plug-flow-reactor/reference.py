"""Conversions of a plug-flow reactor with an Arrhenius rate and a heater offset."""

import numpy as np

INLET = np.linspace(330.0, 450.0, 9)
MEASURED = np.array([0.18, 0.24, 0.33, 0.40, 0.47, 0.56, 0.66, 0.72, 0.80])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    log_a, barrier, offset = parameters["theta"]
    rate = np.exp(log_a - 10.0 * barrier / (8.314e-3 * (INLET + 60.0 * offset)))
    return float(np.sum((1.0 - np.exp(-rate) - MEASURED) ** 2) + 0.001 * offset**2)
