"""Train a quantised linear filter; the rounding passes its adjoint straight through (straight-through estimator)."""
import numpy as np
import warp as wp

TAPS, LENGTH = 5, 40
rng = np.random.default_rng(2)


@wp.func
def quantise(w: float):
    return wp.round(w * 4.0) / 4.0


@wp.func_grad(quantise)
def adj_quantise(w: float, adj_ret: float):
    wp.adjoint[w] += adj_ret


@wp.kernel
def filter_signal(x: wp.array(dtype=float), w: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(5):
        s += quantise(w[k]) * x[i + k]
    y[i] = s


@wp.kernel
def mean_square(y: wp.array(dtype=float), t: wp.array(dtype=float), n: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (y[i] - t[i]) * (y[i] - t[i]) / n)


signal = rng.normal(size=LENGTH + TAPS).astype(np.float32)
wanted = np.convolve(signal, np.array([0.5, -0.25, 1.0, 0.0, -0.75])[::-1], mode="valid")[:LENGTH].astype(np.float32)
x, target = wp.array(signal, dtype=float), wp.array(wanted, dtype=float)
weights = wp.array([0.1, 0.1, 0.3, 0.2, 0.05], dtype=float, requires_grad=True)
for it in range(50):
    y = wp.zeros(LENGTH, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(filter_signal, dim=LENGTH, inputs=[x, weights], outputs=[y])
        wp.launch(mean_square, dim=LENGTH, inputs=[y, target, float(LENGTH)], outputs=[loss])
    tape.backward(loss)
    weights.assign(weights.numpy() - 0.05 * weights.grad.numpy())
    tape.zero()
    if it % 10 == 0:
        print(it, "mse", loss.numpy()[0], weights.numpy())
