"""Trim two thruster settings of a satellite; the cost is stated as absolute energy above a far reference."""
import numpy as np
import warp as wp

N, REFERENCE = 64, 256.0


@wp.kernel
def cost(theta: wp.array(dtype=float), trim: wp.array(dtype=float), total: wp.array(dtype=float)):
    i = wp.tid()
    thrust = trim[0] * wp.cos(theta[i]) + trim[1] * wp.sin(2.0 * theta[i])
    wanted = 0.4 * wp.cos(theta[i]) - 0.2 * wp.sin(2.0 * theta[i]) + 0.1
    d = thrust - wanted
    wp.atomic_add(total, 0, 0.001 * d * d)


@wp.kernel
def above_reference(total: wp.array(dtype=float), reference: float, energy: wp.array(dtype=float)):
    energy[0] = reference + total[0]


theta = wp.array(np.linspace(0.0, 2.0 * np.pi, N, endpoint=False), dtype=float)
trim = wp.array([0.9, 0.5], dtype=float, requires_grad=True)
for it in range(25):
    total = wp.zeros(1, dtype=float, requires_grad=True)
    energy = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(cost, dim=N, inputs=[theta, trim], outputs=[total])
        wp.launch(above_reference, dim=1, inputs=[total, REFERENCE], outputs=[energy])
    tape.backward(energy)
    g = trim.grad.numpy().copy()
    tape.zero()
    trim.assign(trim.numpy() - 5.0 * g)
    if it % 5 == 0:
        print(f"iteration {it} energy {energy.numpy()[0]:.6f} trim {trim.numpy()}")

final = trim.numpy()
print(f"cosine setting {final[0]:.4f}")
print(f"sine setting {final[1]:.4f}")
print(f"above the reference {energy.numpy()[0] - REFERENCE:.6f}")
