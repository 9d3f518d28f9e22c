"""A wave packet at four driven gates, Visscher's scheme; the share beyond the detector's edge at three times."""

import numpy as np

CELLS, DX, DT, STEPS = 96, 0.5, 0.18, 38
X = DX * np.arange(CELLS)
SHAPE = np.exp(-0.5 * ((X - 19.0 - 3.0 * np.arange(4)[:, None]) / 0.9) ** 2)
SEEN = DX / (1.0 + np.exp((29.0 - X) / (2.0 * DX)))
WANTED = (0.02, 0.40, 0.70)


def _h(f: np.ndarray, v: np.ndarray) -> np.ndarray:
    padded = np.pad(f, 1)
    return v * f - 0.5 * (padded[2:] - 2.0 * f + padded[:-2]) / DX**2


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    (k0, chirp), barrier = parameters["launch"], parameters["gates"] @ SHAPE
    x = X - 11.0
    envelope = np.exp(-(x**2) / (4.0 * 2.6**2)) / np.sqrt(np.sqrt(2.0 * np.pi) * 2.6)
    phase = k0 * x + chirp * x**2
    re, im = envelope * np.cos(phase), envelope * np.sin(phase - 0.25 * DT * k0**2)
    loss = 0.0
    for window, wanted in enumerate(WANTED):
        for step in range(window * STEPS, (window + 1) * STEPS):
            v = barrier * (1.0 - 0.55 * np.exp(-0.5 * ((step * DT - 9.0) / 3.0) ** 2))
            re = re + DT * _h(im, v)
            im = im - DT * _h(re, v)
        loss += (np.sum(SEEN * (re**2 + im**2)) - wanted) ** 2
    return float(loss)
