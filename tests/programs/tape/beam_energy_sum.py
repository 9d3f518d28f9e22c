"""Distribute bending stiffness over a beam so that its strain energy is small at bounded weight."""
import numpy as np
import warp as wp

START = [1.0, 1.4, 0.9, 1.2, 0.8]
N_ITERS = 40
N = 5


@wp.kernel
def strain_energy(load: wp.array(dtype=float), stiff: wp.array(dtype=float), energy: wp.array(dtype=float)):
    i = wp.tid()
    energy[i] = load[i] * load[i] / stiff[i]


@wp.kernel
def weight(stiff: wp.array(dtype=float), total: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.2 * total[0] + 0.12 * stiff[i] * stiff[i])


load = wp.array([0.9, 1.3, 1.6, 1.1, 0.6], dtype=float)
stiff = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    energy = wp.zeros(N, dtype=float, requires_grad=True)
    total = wp.zeros(1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(strain_energy, dim=N, inputs=[load, stiff], outputs=[energy])
        wp.utils.array_sum(energy, out=total)
        wp.launch(weight, dim=N, inputs=[stiff, total], outputs=[loss])
    tape.backward(loss)
    g = stiff.grad.numpy().copy()
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    stiff.assign(np.maximum(stiff.numpy() - 0.2 * g, 0.1))
    print(f"iter {it:2d} cost {losses[-1]:.5f} energy {total.numpy()[0]:.5f} stiffness {stiff.numpy()}")
