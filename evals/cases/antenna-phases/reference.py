"""Pattern of a five-element antenna at sixteen angles."""

import numpy as np

ANGLE = np.arange(16)
U = np.sin(-1.2 + 0.15 * ANGLE)
WANT = np.exp(-0.5 * ((ANGLE - 10.0) / 2.0) ** 2)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    arg = parameters["phase"][:, None] + 3.1 * np.arange(5)[:, None] * U
    power = (np.sum(np.cos(arg), axis=0) ** 2 + np.sum(np.sin(arg), axis=0) ** 2) / 25.0
    return float(np.sum((power - WANT) ** 2))
