"""A saturating filter of four taps against the clean signal."""

import numpy as np

LENGTH = 32
_RNG = np.random.default_rng(8)
_DRY = _RNG.normal(0.0, 0.7, LENGTH + 3).astype(np.float32)
_WET = (_DRY + 0.4 * np.roll(_DRY, -1) - 0.2 * np.roll(_DRY, -2)).astype(np.float32)
SIGNAL = _WET.astype(np.float64)
CLEAN = np.tanh(_DRY[:LENGTH]).astype(np.float64)


def objective(parameters: dict[str, np.ndarray], iteration: int) -> float:
    filtered = sum(parameters["taps"][k] * SIGNAL[k : k + LENGTH] for k in range(4))
    return float(np.sum((np.tanh(filtered) - CLEAN) ** 2))
