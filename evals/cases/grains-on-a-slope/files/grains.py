"""Friction and stiffness of grains that slide down a slope onto a stop, from their final positions."""
import numpy as np
import warp as wp

GRAINS, STEPS, DT = 6, 30, 0.04
N_ITERS = 40
START = [0.5, 18.0]
STOP = wp.constant(1.0)

start_x = np.linspace(0.0, 0.5, GRAINS)
start_v = np.linspace(0.4, 1.2, GRAINS)
seen = wp.array(np.linspace(0.62, 0.93, GRAINS), dtype=float)


@wp.kernel
def slide(x: wp.array(dtype=float), v: wp.array(dtype=float), p: wp.array(dtype=float), dt: float):
    i = wp.tid()
    overlap = wp.max(x[i] - STOP, 0.0)
    drag = p[0] * v[i] * wp.abs(v[i])
    nv = v[i] + dt * (1.1 - drag - p[1] * overlap - 0.6 * v[i])
    v[i] = nv
    x[i] = x[i] + dt * nv


@wp.kernel
def misfit(x: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = x[i] - seen[i]
    wp.atomic_add(loss, 0, d * d)


p = wp.array(START, dtype=float, requires_grad=True)
rate = np.array([0.3, 60.0], dtype=np.float32)
for it in range(N_ITERS):
    x = wp.array(start_x, dtype=float, requires_grad=True)
    v = wp.array(start_v, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for _ in range(STEPS):
            wp.launch(slide, dim=GRAINS, inputs=[x, v, p, DT])
        wp.launch(misfit, dim=GRAINS, inputs=[x, seen], outputs=[loss])
    tape.backward(loss)
    g = p.grad.numpy().copy()
    tape.zero()
    p.assign(np.clip(p.numpy() - rate * g, [0.0, 5.0], [4.0, 60.0]))
    if it % 8 == 7:
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} p {p.numpy()}")
