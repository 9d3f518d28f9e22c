"""Field of a few dipole moments on a line of probes."""
import warp as wp


@wp.kernel
def dipole_field(moment: wp.array(dtype=wp.vec3), site: wp.array(dtype=wp.vec3), probe: wp.array(dtype=wp.vec3),
                 b: wp.array(dtype=wp.vec3)):
    m, p = wp.tid()
    d = probe[p] - site[m]
    r = wp.length(d)
    n = d / r
    wp.atomic_add(b, p, (3.0 * wp.dot(moment[m], n) * n - moment[m]) / (r * r * r))


@wp.kernel
def uniformity(b: wp.array(dtype=wp.vec3), want: wp.vec3, loss: wp.array(dtype=float)):
    p = wp.tid()
    e = b[p] - want
    wp.atomic_add(loss, 0, wp.dot(e, e))


def evaluate(moment, site, probe, want, tape):
    """Value of the uniformity objective; the gradient lands in `moment.grad`."""
    b = wp.zeros(probe.shape, dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape.zero()
    with tape:
        wp.launch(dipole_field, dim=(site.size, probe.size), inputs=[moment, site, probe], outputs=[b])
        wp.launch(uniformity, dim=probe.size, inputs=[b, want], outputs=[loss])
    tape.backward(loss)
    return float(loss.numpy()[0])
