"""Static shape of a hanging chain of rods, relaxed by damped motion."""
import warp as wp


@wp.struct
class Chain:
    node: wp.array(dtype=wp.vec3)
    pull: wp.array(dtype=wp.vec3)


@wp.kernel
def tension(c: Chain, stiff: wp.array(dtype=float)):
    i = wp.tid()
    below = c.node[i + 1] - c.node[i]
    length = wp.length(below)
    f = stiff[i] * (length - 0.5) * below / length
    wp.atomic_add(c.pull, i, f)
    wp.atomic_sub(c.pull, i + 1, f)


@wp.kernel
def relax(c: Chain, step: float, out: Chain):
    i = wp.tid()
    if i == 0:
        out.node[i] = c.node[i]
    else:
        out.node[i] = c.node[i] + step * (c.pull[i] + wp.vec3(0.05, -0.3, 0.0))


@wp.kernel
def tip_error(c: Chain, stiff: wp.array(dtype=float), goal: wp.vec3, loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.25 * wp.length_sq(c.node[4] - goal) + 0.0005 * stiff[i] * stiff[i])
