"""Mean square of the pressure residuals of a leaking pipe."""

import numpy as np

WHERE = np.linspace(0.2, 1.6, 8)
PRESSURE = np.array([0.95, 0.86, 0.79, 0.70, 0.63, 0.57, 0.50, 0.45])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    roughness, leak = parameters["params"]
    residual = 1.0 - roughness * WHERE * np.exp(-leak * WHERE) ** 2 - PRESSURE
    return float(np.mean(residual**2))
