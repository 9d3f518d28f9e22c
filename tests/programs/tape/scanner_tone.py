"""Recover ink densities of a 4 x 6 patch chart from a scan with a known tone curve."""
import numpy as np
import warp as wp
from warp.optim import SGD

START = [0.7, 0.4, 0.9, 0.6]
N_ITERS = 40
ROWS, COLS = 4, 6


@wp.kernel
def lay_ink(density: wp.array(dtype=float), coverage: wp.array(dtype=float), light: wp.array(dtype=float)):
    i = wp.tid()
    light[i] = wp.exp(-density[i / 6] * coverage[i % 6])


@wp.kernel
def chart_error(light: wp.array(dtype=float), scan: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = light[i] * light[i] - scan[i]
    wp.atomic_add(loss, 0, d * d)


@wp.kernel
def tone_curve(img: wp.array2d(dtype=float)):
    r, c = wp.tid()
    img[r, c] = wp.sqrt(img[r, c])


@wp.kernel
def row_contrast(img: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    r = wp.tid()
    wp.atomic_add(loss, 0, 0.02 * (img[r, 0] - img[r, 5] - 0.2))


coverage = wp.array([0.2, 0.4, 0.6, 0.8, 1.0, 1.2], dtype=float)
true_light = np.exp(-np.outer([0.5, 0.6, 0.7, 1.1], [0.2, 0.4, 0.6, 0.8, 1.0, 1.2]))
scan = wp.array((true_light**2).astype(np.float32).ravel(), dtype=float)

params = wp.array(START, dtype=float, requires_grad=True)
optimizer = SGD([params], lr=0.3)
for it in range(N_ITERS):
    light = wp.zeros(ROWS * COLS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(lay_ink, dim=ROWS * COLS, inputs=[params, coverage], outputs=[light])
        wp.launch(chart_error, dim=ROWS * COLS, inputs=[light, scan], outputs=[loss])
        picture = light.reshape((ROWS, COLS))
        wp.launch(row_contrast, dim=ROWS, inputs=[picture], outputs=[loss])
    wp.launch(tone_curve, dim=(ROWS, COLS), inputs=[picture])
    brightness = float(picture.numpy().mean())
    tape.backward(loss)
    optimizer.step([params.grad])
    tape.zero()
    if it % 8 == 0:
        print(f"iter {it} loss {float(loss.numpy()[0]):.6f} brightness {brightness:.3f} {params.numpy()}")
