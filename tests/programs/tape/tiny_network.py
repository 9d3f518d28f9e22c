"""Train a small two-layer network to reproduce a valve characteristic."""
import numpy as np
import warp as wp

HIDDEN, SAMPLES = 4, 16
START = [0.5, -0.8, 1.1, 0.3, 0.1, 0.2, -0.1, 0.4, 0.6, -0.5, 0.7, 0.9]
N_ITERS = 50

rng = np.random.default_rng(3)
opening = np.sort(rng.uniform(-1.0, 1.0, SAMPLES)).astype(np.float32)
flow = np.tanh(2.0 * opening) * 0.6 + 0.2 * opening**2


@wp.kernel
def hidden_layer(x: wp.array(dtype=float), w: wp.array(dtype=float), h: wp.array2d(dtype=float)):
    s, j = wp.tid()
    h[s, j] = w[j] * x[s] + w[4 + j]


@wp.kernel
def activate(h: wp.array2d(dtype=float)):
    s, j = wp.tid()
    v = h[s, j]
    h[s, j] = v / (1.0 + wp.exp(-v))


@wp.kernel
def output_error(h: wp.array2d(dtype=float), w: wp.array(dtype=float), y: wp.array(dtype=float),
                 loss: wp.array(dtype=float)):
    s = wp.tid()
    out = float(0.0)
    for j in range(4):
        out += h[s, j] * w[8 + j]
    e = out - y[s]
    wp.atomic_add(loss, 0, e * e / 16.0)


def main():
    x = wp.array(opening, dtype=float)
    y = wp.array(flow.astype(np.float32), dtype=float)
    weights = wp.array(START, dtype=float, requires_grad=True)
    for it in range(N_ITERS):
        h = wp.zeros((SAMPLES, HIDDEN), dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(hidden_layer, dim=(SAMPLES, HIDDEN), inputs=[x, weights], outputs=[h])
            wp.launch(activate, dim=(SAMPLES, HIDDEN), inputs=[h])
            wp.launch(output_error, dim=SAMPLES, inputs=[h, weights, y], outputs=[loss])
        tape.backward(loss)
        grad = weights.grad.numpy().copy()
        tape.zero()
        weights.assign(weights.numpy() - 0.5 * grad)
        if it % 10 == 0:
            print(f"epoch {it} mse {float(loss.numpy()[0]):.6f}")


if __name__ == "__main__":
    main()
