"""Harmonic constants of a tide; the state is kept for a gauge record at every step."""
import numpy as np
import warp as wp

START = [0.5, 0.3, 0.8]
N_ITERS = 25
CELLS, STEPS = 3, 5

gauge = wp.array(np.linspace(0.3, 0.8, STEPS * CELLS).reshape(STEPS, CELLS), dtype=float)


@wp.kernel
def propagate(level: wp.array(dtype=float), out: wp.array(dtype=float)):
    c = wp.tid()
    out[c] = level[c] * (1.1 - 0.2 * level[(c + 1) % 3])


@wp.kernel
def gauge_error(record: wp.array(dtype=float), gauge: wp.array2d(dtype=float), k: int, loss: wp.array(dtype=float)):
    c = wp.tid()
    d = record[c] - gauge[k, c]
    wp.atomic_add(loss, 0, d * d)


level0 = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        level = level0
        for k in range(STEPS):
            record = wp.zeros(CELLS, dtype=float, requires_grad=True)
            wp.copy(record, level)
            wp.launch(gauge_error, dim=CELLS, inputs=[record, gauge, k], outputs=[loss])
            following = wp.zeros(CELLS, dtype=float, requires_grad=True)
            wp.launch(propagate, dim=CELLS, inputs=[level], outputs=[following])
            level = following
    tape.backward(loss)
    g = level0.grad.numpy().copy()
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    level0.assign(level0.numpy() - 0.05 * g)
    print("tide", it, "loss", losses[-1])
