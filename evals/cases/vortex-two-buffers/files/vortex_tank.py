"""Fit stirring and friction of a spinning tank from its final velocity profile."""
import numpy as np
import warp as wp
from warp.optim import SGD

START = [0.9, 0.4, 0.2]
N_ITERS = 60
RINGS, STEPS = 10, 12


@wp.kernel
def spin(w: wp.array(dtype=float), p: wp.array(dtype=float), n: int, dt: float, out: wp.array(dtype=float)):
    i = wp.tid()
    r = (float(i) + 0.5) / float(n)
    inner = w[wp.max(i - 1, 0)]
    outer = w[wp.min(i + 1, n - 1)]
    drive = p[0] * wp.exp(-4.0 * r)
    out[i] = w[i] + dt * (drive + p[2] * (inner + outer - 2.0 * w[i]) - p[1] * w[i] * w[i] * w[i])


@wp.kernel
def profile_loss(w: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = w[i] - seen[i]
    wp.atomic_add(loss, 0, d * d)


seen = wp.array((1.2 - 0.9 * np.linspace(0.05, 0.95, RINGS)).astype(np.float32), dtype=float)
speeds = [wp.zeros(RINGS, dtype=float, requires_grad=True) for _ in range(2)]
params = wp.array(START, dtype=float, requires_grad=True)
optimizer = SGD([params], lr=0.2)
for it in range(N_ITERS):
    speeds[0].assign(np.full(RINGS, 1.3, dtype=np.float32))
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for k in range(STEPS):
            wp.launch(spin, dim=RINGS, inputs=[speeds[k % 2], params, RINGS, 0.2], outputs=[speeds[(k + 1) % 2]])
        wp.launch(profile_loss, dim=RINGS, inputs=[speeds[STEPS % 2], seen], outputs=[loss])
    tape.backward(loss)
    optimizer.step([params.grad])
    for w in speeds:
        w.grad.zero_()
    print(f"{it:2d} loss {loss.numpy()[0]:.6f} {params.numpy()}")
