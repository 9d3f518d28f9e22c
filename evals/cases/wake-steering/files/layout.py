"""Turbine layout as a struct of arrays."""
import numpy as np
import warp as wp


@wp.struct
class Farm:
    x: wp.array(dtype=float)
    yaw: wp.array(dtype=float)
    wind: wp.vec2
    wake: float


def make_farm(count, seed):
    rng = np.random.default_rng(seed)
    farm = Farm()
    farm.x = wp.array(np.sort(rng.uniform(0.0, 10.0, count)).astype(np.float32), dtype=float)
    farm.yaw = wp.array(rng.uniform(0.1, 0.5, count).astype(np.float32), dtype=float, requires_grad=True)
    farm.wind = wp.vec2(9.0, 1.0)
    farm.wake = 0.35
    return farm
