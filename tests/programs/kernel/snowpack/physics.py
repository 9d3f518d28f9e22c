"""Energy balance of a snow layer through one night, in quarter-hour steps."""
import warp as wp

STEPS = wp.constant(32)


@wp.func
def settle(depth: float, temperature: float, rate: float, warming: float):
    d = depth
    t = temperature
    for _k in range(STEPS):
        t = t + 0.05 * (warming - t)
        d = d - 0.03 * rate * d * d * wp.exp(0.4 * t)
    return d


@wp.kernel
def night(depth: wp.array(dtype=float), theta: wp.array(dtype=float), morning: wp.array(dtype=float)):
    i = wp.tid()
    morning[i] = settle(depth[i], -2.0, theta[0], theta[1])
