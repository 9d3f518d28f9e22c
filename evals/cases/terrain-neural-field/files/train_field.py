"""Train a small neural field on the heights of a piece of terrain."""
import numpy as np
import warp as wp
from layers import layer, readout

WIDTH, SIDE = 8, 7
N_ITERS = 60

rng = np.random.default_rng(77)


def initial(rows, columns):
    return (rng.uniform(-1.0, 1.0, (rows, columns)) * 0.8 / np.sqrt(columns)).astype(np.float32)


@wp.kernel
def height_error(out: wp.array(dtype=float), height: wp.array(dtype=float), loss: wp.array(dtype=float)):
    s = wp.tid()
    d = out[s] - height[s]
    wp.atomic_add(loss, 0, d * d / float(out.shape[0]))


grid = np.stack(np.meshgrid(np.linspace(-1, 1, SIDE), np.linspace(-1, 1, SIDE)), axis=-1).reshape(-1, 2)
terrain = 0.5 * np.sin(2.5 * grid[:, 0]) * np.cos(2.0 * grid[:, 1]) + 0.2 * grid[:, 0]
points = wp.array(grid, dtype=float)
height = wp.array(terrain, dtype=float)
w0 = wp.array(initial(WIDTH, 3), dtype=float, requires_grad=True)
w1 = wp.array(initial(WIDTH, WIDTH + 1), dtype=float, requires_grad=True)
w2 = wp.array(initial(1, WIDTH + 1)[0], dtype=float, requires_grad=True)
RATE = 0.15


def evaluate():
    hidden = layer(layer(points, w0), w1)
    out = wp.zeros(hidden.shape[0], dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(readout, dim=out.shape[0], inputs=[hidden, w2], outputs=[out])
    wp.launch(height_error, dim=out.shape[0], inputs=[out, height], outputs=[loss])
    return loss


for it in range(N_ITERS):
    with wp.Tape() as tape:
        loss = evaluate()
    tape.backward(loss)
    for w in (w0, w1, w2):
        w.assign(w.numpy() - RATE * w.grad.numpy())
    tape.zero()
    if it % 10 == 9:
        value = float(loss.numpy()[0])
        print(f"epoch {it:2d} loss {value:.6f} rms {np.sqrt(value):.4f}")
