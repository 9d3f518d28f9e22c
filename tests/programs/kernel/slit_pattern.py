"""Slit width from a diffraction pattern that was sampled through its centre."""
import numpy as np
import warp as wp

START = [2.6, 0.8]
N_ITERS = 40
PIXELS = 21

angle = np.linspace(-2.0, 2.0, PIXELS)
angle[PIXELS // 2] = 0.0
camera = wp.array(1.1 * np.sinc(2.2 * angle / np.pi) ** 2, dtype=float)
angle = wp.array(angle, dtype=float)


@wp.func
def amplitude(u: float):
    return wp.where(u == 0.0, 1.0, wp.sin(u) / u)


@wp.kernel
def diffract(angle: wp.array(dtype=float), slit: wp.array(dtype=float), intensity: wp.array(dtype=float)):
    p = wp.tid()
    a = amplitude(slit[0] * angle[p])
    intensity[p] = slit[1] * a * a


@wp.kernel
def exposure_error(intensity: wp.array(dtype=float), camera: wp.array(dtype=float), loss: wp.array(dtype=float)):
    p = wp.tid()
    d = intensity[p] - camera[p]
    wp.atomic_add(loss, 0, d * d)


slit = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    intensity = wp.zeros(PIXELS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(diffract, dim=PIXELS, inputs=[angle, slit], outputs=[intensity])
        wp.launch(exposure_error, dim=PIXELS, inputs=[intensity, camera], outputs=[loss])
    tape.backward(loss)
    g = slit.grad.numpy().copy()
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    slit.assign(slit.numpy() - 0.1 * g)
    if it % 10 == 0:
        print("exposure", it, losses[-1], slit.numpy())
