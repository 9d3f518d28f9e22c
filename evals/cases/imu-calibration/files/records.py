"""Raw readings of one unit on the turntable."""
import numpy as np

GRAVITY = 9.81


def turntable(count=24, seed=3):
    """True accelerations, temperatures and raw readings."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    true = GRAVITY * direction
    warm = rng.uniform(-1.0, 1.5, count)
    scale = np.array([1.04, 0.97, 1.02])
    bias = np.array([0.15, -0.22, 0.08])
    drift = np.array([0.09, 0.02, -0.12])
    raw = true * scale + bias + np.outer(warm + 0.3 * warm**2, drift) + rng.normal(0.0, 0.03, (count, 3))
    return true.astype(np.float32), warm.astype(np.float32), raw.astype(np.float32)
