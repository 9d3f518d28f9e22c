"""Fit the coefficients of an equaliser to a reference recording with plain gradient descent."""
import numpy as np
import warp as wp

START = [0.2, 0.1, -0.1]
N_ITERS, RATE = 20, 0.03
LENGTH = 48


@wp.kernel
def equalise(x: wp.array(dtype=float), c: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = c[0] * x[i + 2] + c[1] * x[i + 1] + c[2] * x[i]


@wp.kernel
def difference(y: wp.array(dtype=float), ref: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (y[i] - ref[i]) * (y[i] - ref[i]))


rng = np.random.default_rng(17)
sound = rng.normal(size=LENGTH + 2).astype(np.float32)
x = wp.array(sound, dtype=float)
ref = wp.array(0.7 * sound[2:] - 0.3 * sound[1:-1] + 0.15 * sound[:-2], dtype=float)
coefficients = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    y = wp.zeros(LENGTH, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(equalise, dim=LENGTH, inputs=[x, coefficients], outputs=[y])
        wp.launch(difference, dim=LENGTH, inputs=[y, ref], outputs=[loss])
    tape.backward(loss)
    g = coefficients.grad.numpy().copy()
    tape.zero()
    coefficients.assign(coefficients.numpy() - RATE * g)
    if it % 4 == 0:
        print(it, "loss", loss.numpy()[0], "coefficients", coefficients.numpy())

print("final coefficients", coefficients.numpy())
