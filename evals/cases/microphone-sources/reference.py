"""Levels of three sources at eight microphones."""

import numpy as np

SOURCE = np.array([[0.0, 0.0, 0.0], [1.0, 0.2, 0.3], [-0.6, 0.8, 0.1]])
MIC = np.random.default_rng(4).normal(0.0, 1.0, (8, 3)) + [0.0, 0.0, 1.8]
R = np.linalg.norm(MIC[None] - SOURCE[:, None], axis=2)
GREEN = np.cos(4.0 * R) / R
SEEN = np.tanh(np.array([0.7, 0.2, 0.5])) @ GREEN


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    return float(0.5 * np.sum((np.tanh(parameters["strength"]) @ GREEN - SEEN) ** 2))
