"""Fit two rate constants of A -> B -> C; the adjoint of the rates is limited to keep early updates tame."""
import numpy as np
import warp as wp

LIMIT = 50.0


@wp.func
def limited(k: float):
    return k


@wp.func_grad(limited)
def adj_limited(k: float, adj_ret: float):
    wp.adjoint[k] += wp.clamp(adj_ret, -50.0, 50.0)


@wp.kernel
def react(c: wp.array(dtype=wp.vec3), rates: wp.array(dtype=float), dt: float, out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    k1 = limited(rates[0])
    k2 = limited(rates[1])
    s = c[i]
    ab = k1 * s[0]
    bc = k2 * s[1] * s[1]
    out[i] = s + dt * wp.vec3(-ab, ab - bc, bc)


@wp.kernel
def assay(c: wp.array(dtype=wp.vec3), measured: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.dot(c[i] - measured[i], c[i] - measured[i]))


start = np.array([[1.0, 0.0, 0.0], [0.5, 0.3, 0.0], [0.2, 0.9, 0.1]], dtype=np.float32)


def integrate(rates, steps=25, dt=0.08):
    c = wp.array(start, dtype=wp.vec3, requires_grad=True)
    for _ in range(steps):
        out = wp.zeros(3, dtype=wp.vec3, requires_grad=True)
        wp.launch(react, dim=3, inputs=[c, rates, dt], outputs=[out])
        c = out
    return c


measured = wp.clone(integrate(wp.array([1.4, 0.6], dtype=float)), requires_grad=False)
rates = wp.array([0.7, 1.1], dtype=float, requires_grad=True)
for it in range(40):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        final = integrate(rates)
        wp.launch(assay, dim=3, inputs=[final, measured], outputs=[loss])
    tape.backward(loss)
    g = rates.grad.numpy().copy()
    tape.zero()
    rates.assign(rates.numpy() - 1.0 * np.clip(g, -LIMIT, LIMIT))
    if it % 8 == 0:
        print(it, float(loss.numpy()[0]), rates.numpy())
