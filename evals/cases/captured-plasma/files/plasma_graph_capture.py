"""Fit a collision and a heating rate of a plasma column; the whole iteration is captured once and replayed."""
import warp as wp

CELLS, STEPS = 20, 12
DEVICE = "cpu"


@wp.kernel
def transport(t: wp.array(dtype=float), p: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = t.shape[0]
    left = t[wp.max(i - 1, 0)]
    right = t[wp.min(i + 1, n - 1)]
    heat = p[1] * wp.exp(-0.1 * float((i - 6) * (i - 6)))
    out[i] = t[i] + 0.3 * p[0] * (left - 2.0 * t[i] + right) + 0.1 * heat - 0.05 * t[i] * t[i]


@wp.kernel
def profile_error(t: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (t[i] - seen[i]) * (t[i] - seen[i]))


@wp.kernel
def gradient_step(p: wp.array(dtype=float), g: wp.array(dtype=float), rate: float):
    i = wp.tid()
    p[i] = p[i] - rate * g[i]


class Column:
    def __init__(self):
        self.p = wp.array([0.4, 1.4], dtype=float, requires_grad=True, device=DEVICE)
        self.frames = [wp.full(CELLS, 0.5, dtype=float, requires_grad=True, device=DEVICE) for _ in range(STEPS + 1)]
        self.loss = wp.zeros(1, dtype=float, requires_grad=True, device=DEVICE)
        self.seen = wp.zeros(CELLS, dtype=float, device=DEVICE)

    def simulate(self, p):
        for a, b in zip(self.frames[:-1], self.frames[1:]):
            wp.launch(transport, dim=CELLS, inputs=[a, p], outputs=[b], device=DEVICE)

    def capture(self):
        with wp.ScopedCapture(device=DEVICE) as capture:
            self.loss.zero_()
            tape = wp.Tape()
            with tape:
                self.simulate(self.p)
                final = self.frames[-1]
                wp.launch(profile_error, dim=CELLS, inputs=[final, self.seen], outputs=[self.loss], device=DEVICE)
            tape.backward(self.loss)
        self.tape, self.graph = tape, capture.graph

    def step(self, rate):
        wp.capture_launch(self.graph)
        wp.launch(gradient_step, dim=2, inputs=[self.p, self.p.grad, rate], device=DEVICE)
        self.tape.zero()
        return float(self.loss.numpy()[0])


wp.load_module(device=DEVICE)
column = Column()
column.simulate(wp.array([0.8, 0.9], dtype=float, device=DEVICE))
wp.copy(column.seen, column.frames[-1])
column.capture()
for it in range(40):
    loss = column.step(rate=0.08)
    if it % 8 == 0:
        print(f"iteration {it} loss {loss:.6f} rates {column.p.numpy()}")
