"""Fit one birth rate for each island to the animals counted at the end."""

import numpy as np
import warp as wp

RATE = 0.012


@wp.kernel
def live(
    prey: wp.array(dtype=float), hunters: wp.array(dtype=float), growth: wp.array(dtype=float),
    x_out: wp.array(dtype=float), v_out: wp.array(dtype=float),
):
    i = wp.tid()
    a = prey[i]
    b = hunters[i]
    eaten = 0.86 * a * b
    x_out[i] = a + 0.15 * (growth[i] * a * (1.0 - 0.3 * a) - eaten)
    v_out[i] = b + 0.15 * (0.62 * eaten - 0.38 * b)


@wp.kernel
def birth_rate(p: wp.array(dtype=float), growth: wp.array(dtype=float)):
    i = wp.tid()
    grown = 0.21 + 0.5 * p[i] * p[i]
    growth[i] = grown * (1.0 + 0.43 * p[i])


@wp.kernel
def sense(prey: wp.array(dtype=float), count: wp.array(dtype=float)):
    i = wp.tid()
    s = prey[2 * i + 1]
    count[i] = s + 0.4 * s * s


@wp.kernel
def compare(count: wp.array(dtype=float), counted: wp.array(dtype=float), cost: wp.array(dtype=float)):
    i = wp.tid()
    d = count[i] - counted[i]
    wp.atomic_add(cost, 0, d * d)


@wp.kernel
def keep_small(p: wp.array(dtype=float), cost: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(cost, 0, 0.01 * p[i] * p[i])


prey0 = wp.array(np.linspace(0.8, 1.3, 6), dtype=float)
hunters0 = wp.array(np.linspace(0.7, 0.3, 6), dtype=float)
counted = wp.array([1.0322, 1.5971, 2.6826], dtype=float)
habitat = wp.array([1.39, 0.99, 1.0, 1.05, 0.85, 1.2], dtype=float, requires_grad=True)

for step in range(36):
    cost = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        growth = wp.zeros(6, dtype=float, requires_grad=True)
        wp.launch(birth_rate, dim=6, inputs=[habitat], outputs=[growth])
        prey, hunters = prey0, hunters0
        for t in range(10):
            prey_next = wp.empty_like(prey, requires_grad=True)
            hunters_next = wp.empty_like(hunters, requires_grad=True)
            wp.launch(live, dim=6, inputs=[prey, hunters, growth], outputs=[prey_next, hunters_next])
            prey, hunters = prey_next, hunters_next
        count = wp.zeros(3, dtype=float, requires_grad=True)
        wp.launch(sense, dim=3, inputs=[prey], outputs=[count])
        wp.launch(compare, dim=3, inputs=[count, counted], outputs=[cost])
        wp.launch(keep_small, dim=6, inputs=[habitat], outputs=[cost])
    g = habitat.grad.numpy().copy()
    habitat.grad.zero_()
    tape.backward(cost)
    wp.copy(prey, prey0)
    habitat.assign(habitat.numpy() - RATE * g)
    value = float(cost.numpy()[0])
    if step % 3 == 0 or step == 36 - 1:
        print(f"iter {step:3d}  cost = {value:.6g}")
