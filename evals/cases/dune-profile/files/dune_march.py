"""Fit wind erosion and slumping of a dune from its final profile."""
import numpy as np
import warp as wp

START = [0.5, 0.25]
N_ITERS = 30
CELLS, STEPS = 16, 12


@wp.kernel
def erode(h: wp.array(dtype=float), p: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    west = h[(i + n - 1) % n]
    east = h[(i + 1) % n]
    out[i] = h[i] - 0.4 * p[0] * (h[i] * h[i] - west * west) + 0.4 * p[1] * (west + east - 2.0 * h[i])


@wp.kernel
def profile_error(h: wp.array(dtype=float), seen: wp.array(dtype=float), p: wp.array(dtype=float),
                  loss: wp.array(dtype=float)):
    i = wp.tid()
    d = h[i] - seen[i]
    wp.atomic_add(loss, 0, d * d + 0.002 * p[1] * p[1])


class March:
    def __init__(self, p):
        self.a = wp.zeros(CELLS, dtype=float, requires_grad=True)
        self.b = wp.zeros(CELLS, dtype=float, requires_grad=True)
        there = wp.launch(erode, dim=CELLS, inputs=[self.a, p, CELLS], outputs=[self.b], record_cmd=True)
        back = wp.launch(erode, dim=CELLS, inputs=[self.b, p, CELLS], outputs=[self.a], record_cmd=True)
        self.commands = [there, back]

    def run(self, initial):
        self.a.assign(initial)
        for k in range(STEPS):
            self.commands[k % 2].launch()
        return self.a


x = np.arange(CELLS) / CELLS
initial = (0.2 + 0.8 * np.exp(-30.0 * (x - 0.35) ** 2)).astype(np.float32)
seen = wp.array((0.35 + 0.35 * np.exp(-20.0 * (x - 0.6) ** 2)).astype(np.float32), dtype=float)
params = wp.array(START, dtype=float, requires_grad=True)
march = March(params)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        final = march.run(initial)
        wp.launch(profile_error, dim=CELLS, inputs=[final, seen, params], outputs=[loss])
    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 0.05 * g)
    if it % 5 == 0:
        print(f"iter {it} loss {loss.numpy()[0]:.6f} params {params.numpy()}")
