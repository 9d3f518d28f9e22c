"""Fits the stiffness of four springs to measured elongations."""

import numpy as np
import warp as wp

FORCE = 2.0
RATE = 0.05
ITERATIONS = 6


@wp.kernel
def misfit(stiffness: wp.array(dtype=float), force: float, seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    gap = force / stiffness[i] - seen[i]
    wp.atomic_add(loss, 0, gap * gap)


seen = wp.array(np.array([1.6, 1.1, 0.8, 0.7], dtype=np.float32))
stiffness = wp.array(np.array([1.0, 1.5, 2.0, 2.5], dtype=np.float32), requires_grad=True)

for iteration in range(ITERATIONS):
    loss = wp.zeros(1, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(misfit, dim=4, inputs=[stiffness, FORCE, seen], outputs=[loss])
    tape.backward(loss)
    stiffness.assign(stiffness.numpy() - RATE * stiffness.grad.numpy())
    print(f"iteration {iteration} loss = {loss.numpy()[0]:.6f}")
