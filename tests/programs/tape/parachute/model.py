"""Vertical descent of a probe under a parachute with quadratic drag."""
import warp as wp


@wp.struct
class Probe:
    height: wp.array(dtype=float)
    speed: wp.array(dtype=float)
    area: wp.array(dtype=float)


@wp.kernel
def descend(p: Probe, density: float, dt: float):
    i = wp.tid()
    v = p.speed[i]
    drag = density * p.area[i] * v * v
    p.speed[i] = v + dt * (3.7 - drag)
    p.height[i] += -dt * v


@wp.kernel
def touchdown_cost(p: Probe, wanted: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    d = p.speed[i] - wanted
    wp.atomic_add(loss, 0, d * d + 0.001 * p.area[i] * p.area[i])


def make_probe(area):
    n = len(area)
    p = Probe()
    p.height = wp.zeros(n, dtype=float, requires_grad=True)
    p.speed = wp.zeros(n, dtype=float, requires_grad=True)
    p.area = area
    return p
