"""A one-layer field for the density of a cloud, trained on samples along random lines of sight."""
import numpy as np
import warp as wp

WIDTH = wp.constant(20)
SAMPLES = 48
N_ITERS = 50

rng = np.random.default_rng(19)
where = rng.uniform(-1.0, 1.0, (SAMPLES, 2))
density = np.exp(-3.0 * (where[:, 0] - 0.2) ** 2 - 2.0 * (where[:, 1] + 0.1) ** 2)


@wp.kernel
def features(x: wp.array(dtype=wp.vec2), w: wp.array2d(dtype=float), h: wp.array2d(dtype=float)):
    s, j = wp.tid()
    h[s, j] = w[j, 0] * x[s][0] + w[j, 1] * x[s][1] + w[j, 2]


@wp.kernel
def rectify(h: wp.array2d(dtype=float)):
    s, j = wp.tid()
    h[s, j] = wp.max(h[s, j], 0.1 * h[s, j])


@wp.kernel
def mix(h: wp.array2d(dtype=float), v: wp.array(dtype=float), out: wp.array(dtype=float)):
    s = wp.tid()
    total = float(0.0)
    for j in range(WIDTH):
        total += v[j] * h[s, j]
    out[s] = total


@wp.kernel
def density_error(out: wp.array(dtype=float), density: wp.array(dtype=float), loss: wp.array(dtype=float)):
    s = wp.tid()
    d = out[s] - density[s]
    wp.atomic_add(loss, 0, d * d / 48.0)


class Field:
    def __init__(self, width):
        self.w = wp.array(rng.normal(0.0, 1.0, (width, 3)), dtype=float, requires_grad=True)
        self.v = wp.array(rng.normal(0.0, 0.2, width), dtype=float, requires_grad=True)

    def __call__(self, x):
        h = wp.zeros((x.shape[0], self.w.shape[0]), dtype=float, requires_grad=True)
        out = wp.zeros(x.shape[0], dtype=float, requires_grad=True)
        wp.launch(features, dim=h.shape, inputs=[x, self.w], outputs=[h])
        wp.launch(rectify, dim=h.shape, inputs=[h])
        wp.launch(mix, dim=x.shape[0], inputs=[h, self.v], outputs=[out])
        return out


x = wp.array(where, dtype=wp.vec2)
seen = wp.array(density, dtype=float)
field = Field(20)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        out = field(x)
        wp.launch(density_error, dim=SAMPLES, inputs=[out, seen], outputs=[loss])
    tape.backward(loss)
    for p in (field.w, field.v):
        p.assign(p.numpy() - 0.05 * p.grad.numpy())
    tape.zero()
    if it % 10 == 9:
        worst = float(np.abs(out.numpy() - density).max())
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} worst {worst:.4f}")
