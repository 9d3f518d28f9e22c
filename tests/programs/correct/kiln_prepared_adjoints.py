"""Heating of a kiln wall with prepared launches in both directions: the tape gets one function that replays adjoints."""

import numpy as np
import warp as wp

NODES = 9
STEPS = 7


@wp.kernel
def soak(t: wp.array(dtype=float), loss_rate: wp.array(dtype=float), t_next: wp.array(dtype=float)):
    i = wp.tid()
    left = t[wp.max(i - 1, 0)]
    right = t[wp.min(i + 1, 8)]
    t_next[i] = t[i] + 0.2 * (left - 2.0 * t[i] + right) - 0.05 * loss_rate[0] * t[i] * t[i] + 0.01 * loss_rate[1]


@wp.kernel
def error(t: wp.array(dtype=float), wanted: wp.array(dtype=float), sum_sq: wp.array(dtype=float)):
    i = wp.tid()
    d = t[i] - wanted[i]
    wp.atomic_add(sum_sq, 0, d * d)


class Wall:
    def __init__(self, rates):
        self.rates = rates
        self.t = [wp.zeros(NODES, dtype=float, requires_grad=True) for _ in range(STEPS + 1)]
        self.forward, self.adjoint = [], []
        for now, after in zip(self.t[:-1], self.t[1:]):
            self.forward.append(wp.launch(soak, NODES, inputs=[now, rates], outputs=[after], record_cmd=True))
            self.adjoint.append(
                wp.launch(
                    soak, NODES, inputs=[now, rates], outputs=[after], adj_inputs=[now.grad, rates.grad],
                    adj_outputs=[after.grad], adjoint=True, record_cmd=True,
                )
            )  # fmt: skip

    def run(self, tape, initial):
        self.t[0].assign(initial)
        for command in self.forward:
            command.launch()
        tape.record_func(self.backward, [self.rates, *self.t])
        return self.t[-1]

    def backward(self):
        for command in reversed(self.adjoint):
            command.launch()


rates = wp.array(np.array([0.6, 0.4], dtype=np.float32), requires_grad=True)
wall = Wall(rates)
initial = 1.0 + 0.3 * np.cos(np.arange(NODES)).astype(np.float32)
wanted = wp.array(np.linspace(0.9, 0.7, NODES), dtype=float)
for k in range(8):
    sum_sq = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(error, NODES, inputs=[wall.run(tape, initial), wanted, sum_sq])
    tape.backward(sum_sq)
    rates.assign(rates.numpy() - 0.1 * rates.grad.numpy())
    tape.zero()
    print(k, float(sum_sq.numpy()[0]))
