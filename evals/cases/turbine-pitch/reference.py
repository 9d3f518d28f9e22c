"""Generator output of three blades over nine wind speeds."""

import numpy as np

WIND = np.linspace(1.2, 2.4, 9)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    pitch = parameters["pitch"][np.arange(9) % 3]
    u = WIND * (1.0 - 0.3 * np.sin(pitch))
    q = pitch * (0.8 - 0.3 * pitch) * u * u + 0.1 * u
    return float(np.sum((q / (1.0 + q * q) - 0.45) ** 2))
