"""Chebyshev fit of a force-extension curve; the squared basis expansion gives the stored energy."""
import numpy as np
import warp as wp

START = [0.6, 0.3, -0.2, 0.1]
N_ITERS = 40
N = 20

extension = np.linspace(-0.9, 0.9, N)
energy = wp.array((0.5 + 0.4 * extension + 0.3 * extension**2) ** 2, dtype=float)
extension = wp.array(extension, dtype=float)


@wp.func
def stored(x: float, c: wp.array(dtype=float)):
    mode = wp.zeros(shape=4, dtype=float)
    mode[0] = c[0]
    mode[1] = c[1] * x
    mode[2] = c[2] * (2.0 * x * x - 1.0)
    mode[3] = c[3] * (4.0 * x * x * x - 3.0 * x)
    total = float(0.0)
    for i in range(4):
        for j in range(4):
            total += mode[i] * mode[j]
    return total


@wp.kernel
def stretch(extension: wp.array(dtype=float), energy: wp.array(dtype=float), c: wp.array(dtype=float),
            loss: wp.array(dtype=float)):
    i = wp.tid()
    d = stored(extension[i], c) - energy[i]
    wp.atomic_add(loss, 0, d * d + 0.001 * c[i % 4] * c[i % 4])


coefficients = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(stretch, dim=N, inputs=[extension, energy, coefficients], outputs=[loss])
    tape.backward(loss)
    g = coefficients.grad.numpy().copy()
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    coefficients.assign(coefficients.numpy() - 0.02 * g)
    if it % 10 == 0:
        print(f"fit {it} loss {losses[-1]:.6f} c {coefficients.numpy()}")
print("coefficients", coefficients.numpy())
