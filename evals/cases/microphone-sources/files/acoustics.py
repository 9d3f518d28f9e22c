"""Sound pressure of a few sources at a set of microphones."""
import warp as wp


@wp.kernel
def receive(strength: wp.array(dtype=float), source: wp.array(dtype=wp.vec3), mic: wp.array(dtype=wp.vec3),
            heard: wp.array(dtype=float)):
    s, m = wp.tid()
    r = wp.length(mic[m] - source[s])
    wp.atomic_add(heard, m, wp.tanh(strength[s]) * wp.cos(4.0 * r) / r)


@wp.kernel
def seed_residual(heard: wp.array(dtype=float), seen: wp.array(dtype=float), adj: wp.array(dtype=float),
                  loss: wp.array(dtype=float)):
    m = wp.tid()
    r = heard[m] - seen[m]
    wp.atomic_add(adj, m, r)
    wp.atomic_add(loss, 0, 0.5 * r * r)
