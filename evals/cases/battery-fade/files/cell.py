"""Capacity fade of a battery over many cycles."""
import warp as wp


@wp.kernel
def fade(depth: wp.array(dtype=float), k: wp.array(dtype=float), cycles: int, capacity: wp.array(dtype=float)):
    i = wp.tid()
    c = float(1.0)
    film = float(0.1)
    n = wp.int32(0)
    while n < cycles:
        film = film + 0.06 * k[0] / (0.2 + film)
        c = c - 0.04 * k[1] * depth[i] * film * c
        n += 1
    capacity[i] = c


@wp.kernel
def prior(k: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = k[i] - 0.8
    wp.atomic_add(loss, 0, 0.005 * d * d)


@wp.kernel
def capacity_error(capacity: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = capacity[i] - seen[i]
    wp.atomic_add(loss, 0, d * d)
