"""A small network learns the drag curve of a sphere; hidden activations and their gradients are logged."""
import numpy as np
import warp as wp

BATCH, HIDDEN = 24, 6


@wp.kernel
def hidden_layer(x: wp.array(dtype=float), w: wp.array2d(dtype=float), h: wp.array2d(dtype=float)):
    i, j = wp.tid()
    h[i, j] = wp.tanh(x[i] * w[0, j] + w[1, j])


@wp.kernel
def output_layer(h: wp.array2d(dtype=float), v: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    s = v[h.shape[1]]
    for j in range(h.shape[1]):
        s += h[i, j] * v[j]
    y[i] = s


@wp.kernel
def mse(y: wp.array(dtype=float), t: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    r = y[i] - t[i]
    wp.atomic_add(loss, 0, r * r / float(y.shape[0]))


class DragNet:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.w = wp.array(rng.normal(0, 1.2, (2, HIDDEN)).astype(np.float32), dtype=float, requires_grad=True)
        self.v = wp.array(rng.normal(0, 0.4, HIDDEN + 1).astype(np.float32), dtype=float, requires_grad=True)
        self.h = wp.zeros((BATCH, HIDDEN), dtype=float, requires_grad=True)
        self.y = wp.zeros(BATCH, dtype=float, requires_grad=True)

    def forward(self, x):
        wp.launch(hidden_layer, dim=(BATCH, HIDDEN), inputs=[x, self.w], outputs=[self.h])
        wp.launch(output_layer, dim=BATCH, inputs=[self.h, self.v], outputs=[self.y])
        return self.y


log_re = np.linspace(-1.0, 1.0, BATCH, dtype=np.float32)
x = wp.array(log_re, dtype=float)
target = wp.array(0.4 + 0.5 * np.exp(-2 * log_re) / 3 + 0.1 * np.tanh(3 * log_re), dtype=float)
net = DragNet(seed=4)
loss = wp.zeros(1, dtype=float, requires_grad=True)
for it in range(40):
    loss.zero_()
    tape = wp.Tape()
    with tape:
        wp.launch(mse, dim=BATCH, inputs=[net.forward(x), target], outputs=[loss])
    tape.backward(loss)
    if it % 10 == 0:
        size, slope = np.abs(net.h.numpy()).mean(), np.abs(net.h.grad.numpy()).max()
        print(f"{it:3d} mse {loss.numpy()[0]:.5f} |h| {size:.3f} |dh| {slope:.3f}")
    net.w.assign(net.w.numpy() - 0.2 * net.w.grad.numpy())
    net.v.assign(net.v.numpy() - 0.2 * net.v.grad.numpy())
    tape.zero()
