"""Clearance of four sensors from an octahedron that is stretched along its axes."""

import numpy as np

CORNERS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)
FACES = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
SENSORS = np.array([[1.2, 1.0, 0.7], [-0.9, 1.1, 0.8], [0.8, -1.2, 1.0], [-0.8, -0.7, -1.4]])


def _segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    t = np.clip(np.dot(p - a, b - a) / np.dot(b - a, b - a), 0.0, 1.0)
    return float(np.linalg.norm(p - a - t * (b - a)))


def _distance(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    height = np.dot(p - a, normal)
    foot = p - height * normal
    inside = all(np.dot(np.cross(v - u, foot - u), normal) >= 0.0 for u, v in ((a, b), (b, c), (c, a)))
    return abs(height) if inside else min(_segment(p, a, b), _segment(p, b, c), _segment(p, c, a))


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    axes = parameters["axes"]
    point = CORNERS * axes
    gaps = [min(_distance(s, *point[f]) for f in FACES) - 0.5 for s in SENSORS]
    return float(np.sum(np.square(gaps)) + 0.02 * np.prod(axes))
