"""Load of hail on two tilted roof panels."""

import numpy as np

_RNG = np.random.default_rng(30)
PANEL = (_RNG.uniform(-1.0, 1.0, (48, 2))[:, 0] > 0.0).astype(int)
SPEED = _RNG.uniform(0.6, 1.8, 48)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    tilt = parameters["tilt"]
    angle = tilt[PANEL]
    v = np.maximum(-SPEED * (0.3 * np.sin(angle) - np.cos(angle)), 0.0)
    load = np.bincount(PANEL, v * v / 48.0, 2)
    return float(np.sum(load + 0.2 * load**2 + 0.6 * tilt**2))
