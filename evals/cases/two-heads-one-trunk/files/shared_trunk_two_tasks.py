"""One feature layer, two heads: reflectance and temperature are fitted together."""
import numpy as np
import warp as wp

SAMPLES, WIDTH = 20, 4
rng = np.random.default_rng(11)


@wp.kernel
def features(x: wp.array(dtype=float), w: wp.array2d(dtype=float), f: wp.array2d(dtype=float)):
    i, j = wp.tid()
    f[i, j] = wp.tanh(w[j, 0] * x[i] + w[j, 1])


@wp.kernel
def head_loss(
    f: wp.array2d(dtype=float), head: wp.array(dtype=float), y: wp.array(dtype=float), weight: float,
    loss: wp.array(dtype=float),
):
    i = wp.tid()
    s = float(0.0)
    for j in range(4):
        s += head[j] * f[i, j]
    wp.atomic_add(loss, 0, weight * (s - y[i]) * (s - y[i]))


class Task:
    def __init__(self, name, target, weight):
        self.name = name
        self.y = wp.array(target.astype(np.float32), dtype=float)
        self.weight = weight
        self.head = wp.array(rng.normal(0.0, 0.5, WIDTH).astype(np.float32), dtype=float, requires_grad=True)

    def evaluate(self, x, trunk):
        f = wp.zeros((SAMPLES, WIDTH), dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(features, dim=(SAMPLES, WIDTH), inputs=[x, trunk], outputs=[f])
            wp.launch(head_loss, dim=SAMPLES, inputs=[f, self.head, self.y, self.weight], outputs=[loss])
        tape.backward(loss)
        return float(loss.numpy()[0])


grid = np.linspace(-2.0, 2.0, SAMPLES, dtype=np.float32)
x = wp.array(grid, dtype=float)
trunk = wp.array(rng.normal(0.0, 1.0, (WIDTH, 2)).astype(np.float32), dtype=float, requires_grad=True)
tasks = [Task("reflectance", np.exp(-(grid**2)), 1.0 / SAMPLES), Task("temperature", np.sin(1.5 * grid), 0.3 / SAMPLES)]
for it in range(30):
    total = sum(task.evaluate(x, trunk) for task in tasks)
    for p in [trunk] + [task.head for task in tasks]:
        p.assign(p.numpy() - 0.1 * p.grad.numpy())
        p.grad.zero_()
    if it % 10 == 0:
        print("iteration", it, "joint loss", total)
