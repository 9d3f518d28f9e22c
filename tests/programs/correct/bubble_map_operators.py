"""Fit a bubble's surface pressure law; element-wise formulas are written with mapped functions."""
import numpy as np
import warp as wp

N = 28


@wp.func
def pressure(r: float, c: float):
    return c / r - 0.3 / (r * r * r)


@wp.func
def squared_excess(p: float, seen: float):
    d = p - seen
    return wp.where(wp.abs(d) < 0.5, d * d, wp.abs(d) - 0.25)


@wp.kernel
def spread(c: wp.array(dtype=float), radius: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = c[0] + c[1] * wp.log(radius[i])


@wp.kernel
def total(e: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, e[wp.tid()])


radius_np = np.linspace(0.6, 2.0, N, dtype=np.float32)
seen_np = ((1.1 + 0.4 * np.log(radius_np)) / radius_np - 0.3 / radius_np**3).astype(np.float32)
radius, seen = wp.array(radius_np, dtype=float), wp.array(seen_np, dtype=float)
c = wp.array([0.6, 0.0], dtype=float, requires_grad=True)
for it in range(25):
    local = wp.zeros(N, dtype=float, requires_grad=True)
    p = wp.zeros(N, dtype=float, requires_grad=True)
    e = wp.zeros(N, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(spread, dim=N, inputs=[c, radius], outputs=[local])
        wp.map(pressure, radius, local, out=p)
        wp.map(squared_excess, p, seen, out=e)
        wp.launch(total, dim=N, inputs=[e], outputs=[loss])
    tape.backward(loss)
    c.assign(c.numpy() - 0.02 * c.grad.numpy())
    tape.zero()
    if it % 5 == 0:
        print(it, "loss", loss.numpy()[0], "law", c.numpy())
