"""Fit uptake rates of a tracer; every iteration looks at a random handful of the samples."""
import numpy as np
import warp as wp

SAMPLES, BATCH = 200, 16
clock = np.linspace(0.0, 4.0, SAMPLES)
level = 1.3 * np.exp(-0.5 * clock) * np.sin(1.1 * clock) + 0.05 * np.cos(17.0 * clock)
rng = np.random.default_rng()


@wp.kernel
def uptake(t: wp.array(dtype=float), p: wp.array(dtype=float), c: wp.array(dtype=float)):
    i = wp.tid()
    c[i] = p[0] * wp.exp(-p[1] * t[i]) * wp.sin(p[2] * t[i])


@wp.kernel
def batch_error(c: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (c[i] - seen[i]) * (c[i] - seen[i]))


p = wp.array([0.8, 0.8, 0.7], dtype=float, requires_grad=True)
for it in range(60):
    pick = rng.choice(SAMPLES, BATCH, replace=False)
    t = wp.array(clock[pick], dtype=float)
    seen = wp.array(level[pick], dtype=float)
    c = wp.zeros(BATCH, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(uptake, dim=BATCH, inputs=[t, p], outputs=[c])
        wp.launch(batch_error, dim=BATCH, inputs=[c, seen], outputs=[loss])
    tape.backward(loss)
    p.assign(p.numpy() - 0.03 * p.grad.numpy())
    tape.zero()
    if it % 10 == 0:
        print("iteration", it, "batch loss", loss.numpy()[0], "p", p.numpy())

curve = p.numpy()
print("uptake", curve[0], "decay", curve[1])
