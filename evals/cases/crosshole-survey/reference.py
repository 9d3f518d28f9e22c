"""Straight rays through a section whose log slowness is bilinear between nodes; robust misfit and roughness."""

import numpy as np

WIDTH, DEPTH, CX, CZ, S = 60.0, 90.0, 24, 36, 96
_RNG = np.random.default_rng(17)


def _site(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    lens = 0.16 * np.exp(-(((x - 34.0) / 13.0) ** 2) - ((z - 42.0) / 11.0) ** 2)
    return 0.72 - 0.0026 * z + lens - 0.10 * np.exp(-(((x - 10.0) / 9.0) ** 2) - ((z - 68.0) / 12.0) ** 2)


SHOT = np.repeat(6.0 + 78.0 * np.arange(8) / 7, 10)
PHONE = np.tile(4.0 + 82.0 * np.arange(10) / 9, 8)
LENGTH = np.hypot(WIDTH, PHONE - SHOT)
_T = (np.arange(200) + 0.5) / 200
PICKED = LENGTH * _site(_T * WIDTH, SHOT[:, None] + _T * (PHONE - SHOT)[:, None]).mean(axis=1)
PICKED = PICKED + 0.15 * _RNG.normal(size=80)
PICKED[[13, 47]] += 1.8
FIT = np.arange(80) % 5 != 2


def _weights(cells: int, nodes: int) -> np.ndarray:
    """Linear interpolation from nodes to the middles of cells, as a matrix."""
    at = (np.arange(cells) + 0.5) / cells * (nodes - 1)
    return np.maximum(1.0 - np.abs(at[:, None] - np.arange(nodes)), 0.0)


def _path_lengths() -> np.ndarray:
    """Length of every fitted ray in every cell, by midpoint samples in the precision of the survey."""
    t = ((np.arange(S, dtype=np.float32) + np.float32(0.5)) / np.float32(S)).astype(np.float32)
    x = t * np.float32(WIDTH)
    z = SHOT.astype(np.float32)[:, None] + t * (PHONE.astype(np.float32) - SHOT.astype(np.float32))[:, None]
    i = np.clip((x / np.float32(WIDTH) * np.float32(CX)).astype(int), 0, CX - 1)
    j = np.clip((z / np.float32(DEPTH) * np.float32(CZ)).astype(int), 0, CZ - 1)
    matrix = np.zeros((80, CX, CZ))
    for s in range(S):
        matrix[np.arange(80), i[s], j[:, s]] += LENGTH / S
    return matrix[FIT].reshape(FIT.sum(), -1)


PATHS, AX, AZ = _path_lengths(), _weights(CX, 5), _weights(CZ, 7)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    m = parameters["nodes"]
    times = PATHS @ np.exp(AX @ m @ AZ.T).ravel()
    x = (times - PICKED[FIT]) / 0.5
    rough = np.sum(np.diff(m, 2, axis=0) ** 2) + 0.4 * np.sum(np.diff(m, 2, axis=1) ** 2)
    return float(np.mean(np.sqrt(1.0 + x * x) - 1.0) + 0.6 * rough)
