"""Deflection of a frame under load and thermal strain."""
import warp as wp


@wp.kernel
def deflect(temp: wp.array(dtype=float), modulus: wp.array(dtype=float), load: wp.array(dtype=float),
            tip: wp.array(dtype=float)):
    i = wp.tid()
    tip[i] = 0.3 * (temp[i] - 1.0) - load[i] / modulus[i]


@wp.kernel
def tip_error(tip: wp.array(dtype=float), want: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = tip[i] - want[i]
    wp.atomic_add(loss, 0, d * d)
