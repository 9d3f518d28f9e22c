"""Fit reaction constants of a two-species kinetic model integrated with shrinking time steps."""
import numpy as np
import warp as wp

START = [1.1, 0.5]
N_ITERS = 30
DTS = [0.4, 0.3, 0.22, 0.16, 0.12, 0.08, 0.05]


class Kinetics:
    def __init__(self, rates):
        self.rates = wp.array(rates, dtype=float, requires_grad=True)
        self.dt = wp.zeros(1, dtype=float)
        self.start = np.array([[1.0, 0.2]], dtype=np.float32)

    def run(self):
        c = wp.array(self.start, dtype=wp.vec2, requires_grad=True)
        for dt in DTS:
            self.dt.fill_(dt)
            nxt = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
            wp.launch(react, dim=1, inputs=[c, self.rates, self.dt], outputs=[nxt])
            c = nxt
        return c


@wp.kernel
def react(c: wp.array(dtype=wp.vec2), k: wp.array(dtype=float), dt: wp.array(dtype=float),
          out: wp.array(dtype=wp.vec2)):
    a = c[0][0]
    b = c[0][1]
    forward = k[0] * a * a
    back = k[1] * b
    out[0] = wp.vec2(a + dt[0] * (back - forward), b + dt[0] * (forward - back))


@wp.kernel
def mismatch(c: wp.array(dtype=wp.vec2), goal: wp.vec2, loss: wp.array(dtype=float)):
    loss[0] = wp.length_sq(c[0] - goal)


model = Kinetics(START)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        final = model.run()
        wp.launch(mismatch, dim=1, inputs=[final, wp.vec2(0.35, 0.85)], outputs=[loss])
    tape.backward(loss)
    step = model.rates.grad.numpy().copy()
    tape.zero()
    model.rates.assign(model.rates.numpy() - 0.8 * step)
    print(f"{it} loss {loss.numpy()[0]:.8f} rates {model.rates.numpy()}")
