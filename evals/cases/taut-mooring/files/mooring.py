"""Lengthen or shorten four mooring ropes until they carry the wanted tension; they start out exactly taut."""
import numpy as np
import warp as wp

ROPES = 4
N_ITERS = 30

span = wp.array([2.0, 2.5, 1.5, 3.0], dtype=float)
wanted = wp.array([0.4, 0.7, 0.3, 0.5], dtype=float)


@wp.kernel
def rope_tension(slack: wp.array(dtype=float), span: wp.array(dtype=float), tension: wp.array(dtype=float)):
    r = wp.tid()
    stretch = span[r] - (span[r] + slack[r])
    tension[r] = 8.0 * wp.max(stretch, 0.0) / span[r]


@wp.kernel
def tension_error(tension: wp.array(dtype=float), wanted: wp.array(dtype=float), loss: wp.array(dtype=float)):
    r = wp.tid()
    d = tension[r] - wanted[r]
    wp.atomic_add(loss, 0, d * d)


slack = wp.zeros(ROPES, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    tension = wp.zeros(ROPES, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(rope_tension, dim=ROPES, inputs=[slack, span], outputs=[tension])
        wp.launch(tension_error, dim=ROPES, inputs=[tension, wanted], outputs=[loss])
    tape.backward(loss)
    g = slack.grad.numpy().copy()
    tape.zero()
    if np.abs(g).max() == 0.0:
        g += 0.05          # nothing pulls yet: take in some rope
    slack.assign(slack.numpy() - 0.01 * g)
    if it % 5 == 0:
        print(f"{it:2d} loss {loss.numpy()[0]:.5f} slack {slack.numpy()} gradient {g}")
