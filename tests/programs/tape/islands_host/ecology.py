"""The physics."""

import warp as wp


@wp.kernel
def season(
    prey: wp.array(dtype=float), hunters: wp.array(dtype=float), births: wp.array(dtype=float),
    x_out: wp.array(dtype=float), v_out: wp.array(dtype=float),
):
    i = wp.tid()
    a = prey[i]
    b = hunters[i]
    eaten = 0.65 * a * b
    x_out[i] = a + 0.16 * (births[i] * a * (1.0 - 0.3 * a) - eaten)
    v_out[i] = b + 0.16 * (0.5 * eaten - 0.46 * b)


@wp.kernel
def growth_law(raw: wp.array(dtype=float), births: wp.array(dtype=float)):
    i = wp.tid()
    w = wp.vec3(raw[i], 0.48 + raw[i] * raw[i], 0.36)
    m = wp.vec3(w[0], 0.48 * w[1] * w[1], w[2] + 0.5 * w[0])
    births[i] = 0.25 + 0.2 * wp.dot(m, m)


@wp.kernel
def readout(prey: wp.array(dtype=float), tracks: wp.array(dtype=float)):
    i = wp.tid()
    s = prey[i]
    tracks[i] = s * s * (1.0 + 0.56 * s)


@wp.kernel
def compare(tracks: wp.array(dtype=float), counted: wp.array(dtype=float), objective: wp.array(dtype=float)):
    i = wp.tid()
    d = tracks[i] - counted[i]
    wp.atomic_add(objective, 0, d * d)


@wp.kernel
def prior(raw: wp.array(dtype=float), objective: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(objective, 0, 0.02 * raw[i] * raw[i])
