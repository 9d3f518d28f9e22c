"""Synthetic gauge records, split into a fitting and a validation part."""
import numpy as np
import warp as wp


def records(seed, count):
    rng = np.random.default_rng(seed)
    stage = np.sort(rng.uniform(0.8, 2.5, count))
    flow = 3.0 * (stage - 0.3) ** 1.6 * (1.0 + 0.02 * rng.normal(size=count))
    return wp.array(stage, dtype=wp.float64), wp.array(flow, dtype=wp.float64)
