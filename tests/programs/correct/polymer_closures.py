"""Fit bond and angle terms of a small polymer; kernels are built by a factory for each term."""
import numpy as np
import warp as wp

BEADS = 10


def make_energy(order, weight):
    @wp.func
    def power(d: float):
        value = float(1.0)
        for _ in range(wp.static(order)):
            value = value * d
        return value

    @wp.kernel
    def energy(x: wp.array(dtype=wp.vec3), p: wp.array(dtype=float), e: wp.array(dtype=float)):
        i = wp.tid()
        total = float(0.0)
        for j in range(i + 1, x.shape[0]):
            d = wp.length(x[j] - x[i]) - p[wp.static(order // 2 - 1)]
            total += wp.static(weight) * power(d)
        e[i] = e[i] + total

    return energy


@wp.kernel
def energy_gap(e: wp.array(dtype=float), ref: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (e[i] - ref[i]) * (e[i] - ref[i]))


rng = np.random.default_rng(14)
chain = np.cumsum(rng.normal(0.0, 0.25, (BEADS, 3)), axis=0)
x = wp.array(chain, dtype=wp.vec3)
terms = [make_energy(2, 0.3), make_energy(4, 0.1)]


def evaluate(p):
    e = wp.zeros(BEADS, dtype=float, requires_grad=True)
    for term in terms:
        wp.launch(term, dim=BEADS, inputs=[x, p], outputs=[e])
    return e


reference = wp.array(evaluate(wp.array([0.6, 0.4], dtype=float)).numpy(), dtype=float)
p = wp.array([0.4, 0.6], dtype=float, requires_grad=True)


def descend(rate):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(energy_gap, dim=BEADS, inputs=[evaluate(p), reference], outputs=[loss])
    tape.backward(loss)
    p.assign(p.numpy() - rate * p.grad.numpy())
    tape.zero()
    return loss.numpy()[0]


for it in range(30):
    value = descend(0.006)
    if it % 6 == 0:
        print("iteration", it, "loss", value, "bond, angle", p.numpy())
