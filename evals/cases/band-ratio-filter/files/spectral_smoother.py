"""Smooth hyperspectral pixels with a learned three-tap filter before band ratios are formed."""
import numpy as np
import warp as wp

START = [0.2, 0.7, 0.3]
N_ITERS = 30
PIXELS, BANDS = 16, 6

rng = np.random.default_rng(2)
cube = wp.array(rng.uniform(0.4, 1.4, (PIXELS, BANDS)), dtype=float)
index_map = wp.array(rng.uniform(0.8, 1.3, PIXELS), dtype=float)


@wp.kernel
def band_index(cube: wp.array2d(dtype=float), tap: wp.array(dtype=float), index: wp.array(dtype=float)):
    p = wp.tid()
    smooth = wp.zeros(shape=(4,), dtype=float)
    for b in range(4):
        smooth[b] = tap[0] * cube[p, b] + tap[1] * cube[p, b + 1] + tap[2] * cube[p, b + 2]
    index[p] = smooth[0] * smooth[2] / (0.5 + smooth[1] + smooth[3])


@wp.kernel
def index_error(index: wp.array(dtype=float), index_map: wp.array(dtype=float), loss: wp.array(dtype=float)):
    p = wp.tid()
    d = index[p] - index_map[p]
    wp.atomic_add(loss, 0, d * d)


tap = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    index = wp.zeros(PIXELS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(band_index, dim=PIXELS, inputs=[cube, tap], outputs=[index])
        wp.launch(index_error, dim=PIXELS, inputs=[index, index_map], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    tap.assign(tap.numpy() - 0.002 * tap.grad.numpy())
    tape.zero()
    if it % 6 == 0:
        print(f"{it} loss {losses[-1]:.5f} taps {tap.numpy()}")
