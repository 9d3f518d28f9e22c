"""Fit species strengths to log-cover scores of survey plots."""
import numpy as np
import warp as wp
from diversity import score

START = [1.0, 0.7, 1.3]
N_ITERS = 30
PLOTS, SPECIES = 5, 3


@wp.kernel
def score_error(out: wp.array2d(dtype=float), field: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    p, s = wp.tid()
    d = out[p, s] - field[p, s]
    wp.atomic_add(loss, 0, d * d)


site = wp.array([[0.9, 0.4, 1.5], [0.6, 0.0, 2.4], [1.1, 0.3, 0.5], [0.8, 0.7, 1.2], [0.5, 0.25, 0.6]], dtype=float)
field = wp.array(np.array([[-0.4, -1.6, -0.1], [-0.7, -4.0, 0.2], [-0.3, -1.9, -0.9], [-0.5, -1.2, -0.2],
                           [-0.9, -2.0, -0.7]]), dtype=float)
strength = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    out = wp.zeros((PLOTS, SPECIES), dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(score, dim=(PLOTS, SPECIES), inputs=[strength, site], outputs=[out])
        wp.launch(score_error, dim=(PLOTS, SPECIES), inputs=[out, field], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    strength.assign(strength.numpy() - 0.01 * strength.grad.numpy())
    tape.zero()
    print(it, "score loss", losses[-1], "strength", strength.numpy())
