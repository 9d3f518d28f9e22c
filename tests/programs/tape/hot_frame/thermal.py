"""Steady temperatures of three heated bars and what follows from them."""
import warp as wp


@wp.kernel
def bar_temperature(power: wp.array(dtype=float), temp: wp.array(dtype=float)):
    i = wp.tid()
    neighbours = power[(i + 1) % 3] + power[(i + 2) % 3]
    temp[i] = wp.sqrt(1.0 + power[i] + 0.2 * neighbours)


@wp.kernel
def softening(temp: wp.array(dtype=float), modulus: wp.array(dtype=float)):
    i = wp.tid()
    modulus[i] = 2.0 / (1.0 + 0.6 * temp[i] * temp[i])
