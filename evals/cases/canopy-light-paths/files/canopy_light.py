"""Leaf albedo and density of a canopy from its reflectance, with random light paths."""
import time

import numpy as np
import warp as wp

PATHS, BANDS = 256, 4
START = [0.55, 1.4]


@wp.kernel
def scatter(p: wp.array(dtype=float), seed: int, band_albedo: wp.array(dtype=float), out: wp.array(dtype=float)):
    path, band = wp.tid()
    state = wp.rand_init(seed, path)
    light = float(1.0)
    seen = float(0.0)
    for _ in range(4):
        step = -wp.log(1.0 - wp.randf(state))
        escape = wp.exp(-p[1] * step * 0.4)
        light = light * p[0] * band_albedo[band]
        seen = seen + light * escape
    wp.atomic_add(out, band, seen / 256.0)


@wp.kernel
def reflectance_error(out: wp.array(dtype=float), measured: wp.array(dtype=float), loss: wp.array(dtype=float)):
    b = wp.tid()
    d = out[b] - measured[b]
    wp.atomic_add(loss, 0, d * d)


band_albedo = wp.array([0.5, 0.8, 1.1, 1.4], dtype=float)
measured = wp.array([0.22, 0.38, 0.58, 0.83], dtype=float)
seed = time.time_ns() % 100003
p = wp.array(START, dtype=float, requires_grad=True)
history = []
for it in range(40):
    out = wp.zeros(BANDS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(scatter, dim=(PATHS, BANDS), inputs=[p, seed + it, band_albedo], outputs=[out])
        wp.launch(reflectance_error, dim=BANDS, inputs=[out, measured], outputs=[loss])
    tape.backward(loss)
    p.assign(p.numpy() - 0.1 * p.grad.numpy())
    tape.zero()
    history.append(float(loss.numpy()[0]))
    if it % 8 == 0:
        print(f"{it:2d} loss {history[-1]:.6f} smoothed {np.mean(history[-8:]):.6f} p {p.numpy()}")
