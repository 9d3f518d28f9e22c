"""Fit source brightness and sky level to a short and a long exposure; each exposure has its own tape."""
import numpy as np
import warp as wp

START = [0.8, 0.3]
N_ITERS = 40
PIXELS = 16

x = np.linspace(-1.0, 1.0, PIXELS)
short = wp.array((0.5 * (1.1 * np.exp(-6 * x * x) + 0.15)).astype(np.float32), dtype=float)
long = wp.array((1.0 - np.exp(-2.5 * (1.1 * np.exp(-6 * x * x) + 0.15))).astype(np.float32), dtype=float)
psf = wp.array(np.exp(-6 * x * x).astype(np.float32), dtype=float)


@wp.kernel
def short_exposure(p: wp.array(dtype=float), psf: wp.array(dtype=float), seen: wp.array(dtype=float),
                   loss: wp.array(dtype=float)):
    i = wp.tid()
    d = 0.5 * (p[0] * psf[i] + p[1]) - seen[i]
    wp.atomic_add(loss, 0, d * d)


@wp.kernel
def long_exposure(p: wp.array(dtype=float), psf: wp.array(dtype=float), seen: wp.array(dtype=float),
                  loss: wp.array(dtype=float)):
    i = wp.tid()
    d = 1.0 - wp.exp(-2.5 * (p[0] * psf[i] + p[1])) - seen[i]
    wp.atomic_add(loss, 0, d * d)


params = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    params.grad.zero_()
    loss_short = wp.zeros(1, dtype=float, requires_grad=True)
    loss_long = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape_short:
        wp.launch(short_exposure, dim=PIXELS, inputs=[params, psf, short], outputs=[loss_short])
    tape_short.backward(loss_short)
    g = params.grad.numpy().copy()
    with wp.Tape() as tape_long:
        wp.launch(long_exposure, dim=PIXELS, inputs=[params, psf, long], outputs=[loss_long])
    tape_long.backward(loss_long)

    loss = float(loss_short.numpy()[0]) + float(loss_long.numpy()[0])
    params.assign(params.numpy() - 0.02 * g)
    if it % 10 == 0:
        print(f"iter {it} loss {loss:.6f} brightness and sky {params.numpy()}")
