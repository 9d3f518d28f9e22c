"""Squared distances of a shifted survey to its control points."""

import numpy as np

LOCAL = np.array([[0.0, 0.0], [3.1, 0.4], [2.2, 2.9], [-1.3, 1.7], [0.9, -2.4]])
CONTROL = (LOCAL + [413.4, 286.8] + np.random.default_rng(5).normal(0.0, 0.15, LOCAL.shape)).astype(np.float32)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    return float(np.sum((LOCAL + parameters["shift"] - CONTROL.astype(np.float64)) ** 2))
