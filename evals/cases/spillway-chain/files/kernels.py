"""Kernels of a chain of reservoirs."""
import warp as wp


@wp.kernel
def spill(level: wp.array(dtype=float), valve: wp.array(dtype=float), net: wp.array(dtype=float)):
    i = wp.tid()
    q = valve[i] * level[i] * level[i] / (1.0 + level[i])
    wp.atomic_sub(net, i, q)
    wp.atomic_add(net, i + 1, q)


@wp.kernel
def update(level: wp.array(dtype=float), net: wp.array(dtype=float), dt: float, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = level[i] + dt * net[i]


@wp.kernel
def gauge_error(level: wp.array(dtype=float), gauge: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = level[i] - gauge[i]
    wp.atomic_add(loss, 0, d * d)
