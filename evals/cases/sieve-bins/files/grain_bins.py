"""Sieve a sample: grains drop into size bins in order of arrival; fit shape factor and wear of the sieve."""
import numpy as np
import warp as wp

START = [1.1, 0.3]
N_ITERS = 30
GRAINS, BINS, DEPTH = 24, 3, 60

rng = np.random.default_rng(4)
diameter = wp.array(rng.uniform(0.2, 1.7, GRAINS), dtype=float)
wanted = wp.array(np.array([[0.3], [0.8], [1.5]]) * np.ones((BINS, DEPTH)), dtype=float)


@wp.kernel
def sieve(diameter: wp.array(dtype=float), shape: wp.array(dtype=float), filled: wp.array(dtype=int),
          bins: wp.array2d(dtype=float)):
    g = wp.tid()
    size = diameter[g]
    b = 0
    if size > 0.6:
        b = 1
    if size > 1.2:
        b = 2
    row = wp.atomic_add(filled, b, 1)
    bins[b, row] = shape[0] * size / (1.0 + shape[1] * size)


@wp.kernel
def compare(bins: wp.array2d(dtype=float), filled: wp.array(dtype=int), wanted: wp.array2d(dtype=float),
            shape: wp.array(dtype=float), loss: wp.array(dtype=float)):
    b, r = wp.tid()
    if r < filled[b]:
        d = bins[b, r] - wanted[b, r]
        wp.atomic_add(loss, 0, d * d * (1.0 + 0.1 * shape[1]))


shape = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    filled = wp.zeros(BINS, dtype=int)
    bins = wp.zeros((BINS, DEPTH), dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(sieve, dim=GRAINS, inputs=[diameter, shape, filled], outputs=[bins])
        wp.launch(compare, dim=(BINS, GRAINS), inputs=[bins, filled, wanted, shape], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    shape = wp.array(shape.numpy() - 0.01 * shape.grad.numpy(), dtype=float, requires_grad=True)
    if it % 6 == 0:
        print(f"sieve {it} loss {losses[-1]:.5f} shape {shape.numpy()}")
