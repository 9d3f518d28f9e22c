"""A flag of 24 point masses with springs, quadratic wind drag and a speed limit."""

import numpy as np

ROWS, COLS = 4, 6
R, C = np.divmod(np.arange(ROWS * COLS), COLS)
REST = np.stack([0.1 * C, -0.1 * R, 0.0 * C], axis=1)
PAIRS = np.array(
    [(i, i + 1) for i in range(24) if (i + 1) % COLS]
    + [(i, i + COLS) for i in range(18)]
    + [(i, i + COLS + 1) for i in range(18) if (i + 1) % COLS]
)
A, B = PAIRS.T
LENGTH = np.linalg.norm(REST[A] - REST[B], axis=1)
MARKERS = np.array([r * COLS + 5 for r in range(4)] + [r * COLS + 3 for r in (0, 2)])
SEEN = REST[MARKERS].copy()
_REACH = SEEN[:, 0].copy()
SEEN += np.stack([-0.03 * _REACH, -0.05 * _REACH, 0.35 * _REACH + 0.1 * _REACH**2], axis=1)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    wind, stiffness = parameters["wind"][0], parameters["stiffness"][0]
    x, v = REST.copy(), np.zeros_like(REST)
    for _ in range(24):
        d = x[B] - x[A]
        length = np.linalg.norm(d, axis=1)
        f = (stiffness * (length - LENGTH) / LENGTH / length)[:, None] * d
        force = np.zeros_like(x)
        np.add.at(force, A, f)
        np.subtract.at(force, B, f)
        relative = (1.0 + 0.3 * np.sin(2.0 * C))[:, None] * wind - v
        force += 0.08 * np.linalg.norm(relative, axis=1, keepdims=True) * relative
        v = v + 0.012 * (C > 0)[:, None] * (force / 0.05 + np.array([0.0, -9.81, 0.0]) - 0.6 * v)
        speed = np.linalg.norm(v, axis=1, keepdims=True)
        v = v * np.where(speed > 6.0, 6.0 / np.maximum(speed, 6.0), 1.0)
        x = x + 0.012 * v
    return float(np.sum((x[MARKERS] - SEEN) ** 2))
