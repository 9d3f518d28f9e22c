"""Kernels of the sensor model."""
import warp as wp

DELTA = wp.constant(0.35)     # where residuals turn from squared to linear, in m/s^2


@wp.kernel
def drift_offset(warm: wp.array(dtype=float), drift: wp.array(dtype=float), offset: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    t = warm[i] + 0.3 * warm[i] * warm[i]
    offset[i] = wp.vec3(drift[0] * t, drift[1] * t, drift[2] * t)


@wp.kernel
def reading(accel: wp.array(dtype=wp.vec3), scale: wp.array(dtype=float), bias: wp.array(dtype=float),
            offset: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a = accel[i]
    out[i] = wp.vec3(scale[0] * a[0] + bias[0], scale[1] * a[1] + bias[1], scale[2] * a[2] + bias[2]) + offset[i]


@wp.kernel
def robust_misfit(out: wp.array(dtype=wp.vec3), raw: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    r = out[i] - raw[i]
    wp.atomic_add(loss, 0, DELTA * DELTA * (wp.sqrt(1.0 + wp.dot(r, r) / (DELTA * DELTA)) - 1.0))
