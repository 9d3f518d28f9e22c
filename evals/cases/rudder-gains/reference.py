"""Three boats turned onto their heading by a proportional-derivative rudder."""

import numpy as np

HEADINGS = np.array([1.0, -0.6, 0.3])


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    gain = parameters["gain"]
    heading, rate = HEADINGS.copy(), np.zeros(3)
    for _ in range(15):
        rudder = -gain[0] * heading - gain[1] * rate
        rate = rate + 0.15 * (0.8 * np.sin(rudder) - 0.4 * rate)
        heading = heading + 0.15 * rate
    return float(np.sum(heading**2 + 0.3 * rate**2))
