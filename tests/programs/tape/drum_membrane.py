"""Fit the tension profile of a drum skin to its first few deflections, with a little weight decay."""
import numpy as np
import warp as wp

START = [1.5, 0.7, 1.1]
N_ITERS = 40
DECAY = 0.02
POINTS = 9

load = wp.array(np.linspace(0.4, 1.2, POINTS).astype(np.float32), dtype=float)
seen = wp.array(np.array([0.30, 0.38, 0.45, 0.55, 0.66, 0.72, 0.75, 0.77, 0.80], dtype=np.float32), dtype=float)


@wp.kernel
def deflect(load: wp.array(dtype=float), tension: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = load[i] / (0.3 + tension[i / 3] * tension[i / 3])


@wp.kernel
def misfit(out: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = out[i] - seen[i]
    wp.atomic_add(loss, 0, d * d)


def loss_and_gradient(tension):
    out = wp.zeros(POINTS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(deflect, dim=POINTS, inputs=[load, tension], outputs=[out])
        wp.launch(misfit, dim=POINTS, inputs=[out, seen], outputs=[loss])
    tape.backward(loss)
    grad = tension.grad.numpy()
    value = float(loss.numpy()[0])
    tape.zero()
    return value, grad


tension = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    value, grad = loss_and_gradient(tension)
    t = tension.numpy()
    tension.assign(t - 0.2 * grad - DECAY * t)
    if it % 5 == 0:
        print(f"iter {it} loss {value:.6f} tension {tension.numpy()}")
