"""Pretension of cables with a smooth slack law: find the pretension that meets measured loads."""
import numpy as np
import warp as wp

START = [0.10, -0.15, 0.30, 0.05, -0.05, 0.22]
N_ITERS = 30
N = 6


@wp.func
def taut(e: float):
    """Elongation that carries load: zero when slack, smooth at the transition."""
    return 0.5 * (e + wp.sqrt(e * e + 0.01))


@wp.func_grad(taut)
def adj_taut(e: float, adj_ret: float):
    wp.adjoint[e] = 0.5 * (1.0 + e / wp.sqrt(e * e + 0.01)) * adj_ret


@wp.kernel
def cable_force(pre: wp.array(dtype=float), length: wp.array(dtype=float), force: wp.array(dtype=float)):
    c = wp.tid()
    e = pre[c] + length[c]
    force[c] = 4.0 * taut(e) + 0.8 * e


@wp.kernel
def load_error(force: wp.array(dtype=float), load: wp.array(dtype=float), loss: wp.array(dtype=float)):
    c = wp.tid()
    d = force[c] - load[c]
    wp.atomic_add(loss, 0, d * d)


class CableNet:
    def __init__(self):
        self.pre = wp.array(START, dtype=float, requires_grad=True)
        self.length = wp.array(np.linspace(-0.1, 0.25, N), dtype=float)
        self.load = wp.array([0.3, 0.5, 1.2, 0.9, 1.4, 2.0], dtype=float)

    def loss(self):
        force = wp.zeros(N, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(cable_force, dim=N, inputs=[self.pre, self.length], outputs=[force])
        wp.launch(load_error, dim=N, inputs=[force, self.load], outputs=[loss])
        return loss

    def train_step(self, lr):
        tape = wp.Tape()
        with tape:
            loss = self.loss()
        tape.backward(loss)
        self.pre.assign(self.pre.numpy() - lr * self.pre.grad.numpy())
        tape.zero()
        return float(loss.numpy()[0])


net = CableNet()
losses = []
for it in range(N_ITERS):
    losses.append(net.train_step(0.01))
    print("iteration", it, "loss", losses[-1], "pretension", net.pre.numpy())
