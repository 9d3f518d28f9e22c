"""Estimate growth, capacity and mixing of algae in a channel from one concentration profile."""
import numpy as np
import warp as wp
from warp.optim import Adam

START = [0.9, 1.4, 0.3]
N_ITERS = 40
CELLS = 20
STEPS = 16


@wp.kernel
def grow_and_mix(c: wp.array(dtype=float), p: wp.array(dtype=float), n: int, dt: float, out: wp.array(dtype=float)):
    i = wp.tid()
    left = c[wp.max(i - 1, 0)]
    right = c[wp.min(i + 1, n - 1)]
    lap = left - 2.0 * c[i] + right
    out[i] = c[i] + dt * (p[2] * lap + p[0] * c[i] * (1.0 - c[i] / p[1]))


@wp.kernel
def profile_error(c: wp.array(dtype=float), ref: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = c[i] - ref[i]
    wp.atomic_add(loss, 0, d * d)


x = np.linspace(0.0, 1.0, CELLS)
initial = (0.1 + 0.5 * np.exp(-30.0 * (x - 0.3) ** 2)).astype(np.float32)
profile = wp.array((0.6 + 0.5 * np.exp(-6.0 * (x - 0.3) ** 2)).astype(np.float32), dtype=float)
front = wp.zeros(CELLS, dtype=float, requires_grad=True)
back = wp.zeros(CELLS, dtype=float, requires_grad=True)
params = wp.array(START, dtype=float, requires_grad=True)
optimizer = Adam([params], lr=0.03)


def march(src, dst):
    for _ in range(STEPS):
        wp.launch(grow_and_mix, dim=CELLS, inputs=[src, params, CELLS, 0.15], outputs=[dst])
        src, dst = dst, src
    return src


for it in range(N_ITERS):
    front.assign(initial)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        final = march(front, back)
        wp.launch(profile_error, dim=CELLS, inputs=[final, profile], outputs=[loss])
    tape.backward(loss)
    optimizer.step([params.grad])
    tape.zero()
    if it % 10 == 0:
        print(it, float(loss.numpy()[0]), params.numpy())
