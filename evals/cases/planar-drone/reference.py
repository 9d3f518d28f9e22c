"""A planar drone that should hover beside its start."""

import numpy as np


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    x = y = th = vx = vy = om = 0.0
    cost = (x - 0.4) ** 2 + (y - 1.0) ** 2
    for k in range(20):
        left, right = parameters["thrust"][k // 5]
        up = (left + right) / 0.8
        vx, vy = vx - 0.05 * up * np.sin(th), vy + 0.05 * (up * np.cos(th) - 9.81)
        om = om + 0.05 * 0.2 * (right - left) / 0.05
        x, y, th = x + 0.05 * vx, y + 0.05 * vy, th + 0.05 * om
        cost += (x - 0.4) ** 2 + (y - 1.0) ** 2 + 0.1 * th**2
    return float(cost)
