"""Fits the gains of a two-stage amplifier; the second stage works on the settled output of the first."""

import numpy as np
import warp as wp

RATE = 0.02
ITERATIONS = 5


@wp.kernel
def amplify(signal: wp.array(dtype=float), gain: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.tanh(gain[i] * signal[i])


@wp.kernel
def misfit(
    out: wp.array(dtype=float), gain: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)
):
    i = wp.tid()
    gap = out[i] - seen[i]
    wp.atomic_add(loss, 0, gap * gap + 0.01 * gain[i] * gain[i])


signal = wp.array(np.array([0.3, 0.7, 1.1, 1.6], dtype=np.float32))
seen = wp.array(np.array([0.2, 0.5, 0.6, 0.9], dtype=np.float32))
gain = wp.array(np.array([1.0, 1.2, 0.8, 0.9], dtype=np.float32), requires_grad=True)
settled = wp.zeros(4, dtype=float)

for iteration in range(ITERATIONS):
    loss = wp.zeros(1, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(amplify, dim=4, inputs=[signal, gain], outputs=[settled])
        wp.launch(misfit, dim=4, inputs=[settled, gain, seen], outputs=[loss])
    tape.backward(loss)
    gain.assign(gain.numpy() - RATE * gain.grad.numpy())
    print(f"iteration {iteration} loss = {loss.numpy()[0]:.6f}")
