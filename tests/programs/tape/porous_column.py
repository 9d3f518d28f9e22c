"""Fit a two-parameter permeability law of a soil column to measured outflow."""
import numpy as np
import warp as wp

START = [1.2, 0.7]
N_ITERS = 40
LAYERS = 8
DEPTH = np.linspace(0.1, 1.0, LAYERS).astype(np.float32)


@wp.kernel
def permeability(depth: wp.array(dtype=float), law: wp.array(dtype=float), k: wp.array(dtype=float)):
    i = wp.tid()
    k[i] = law[0] * wp.exp(-law[1] * depth[i])


@wp.kernel
def outflow(k: wp.array(dtype=float), law: wp.array(dtype=float), head: wp.array(dtype=float),
            q: wp.array(dtype=float)):
    i = wp.tid()
    q[i] = k[i] * head[i] - 0.05 * law[1] * head[i] * head[i]


@wp.kernel
def flow_error(q: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    e = q[i] - seen[i]
    wp.atomic_add(loss, 0, e * e)


class Column:
    def __init__(self):
        self.depth = wp.array(DEPTH, dtype=float)
        self.head = wp.array((0.5 + DEPTH).astype(np.float32), dtype=float)
        self.k = wp.zeros(LAYERS, dtype=float, requires_grad=True)
        self.q = wp.zeros(LAYERS, dtype=float, requires_grad=True)
        self.law = wp.array(START, dtype=float, requires_grad=True)

    def refresh(self):
        wp.launch(permeability, dim=LAYERS, inputs=[self.depth, self.law], outputs=[self.k])

    def solve(self):
        wp.launch(outflow, dim=LAYERS, inputs=[self.k, self.law, self.head], outputs=[self.q])


column = Column()
seen = wp.array((0.9 * np.exp(-0.4 * DEPTH) * (0.5 + DEPTH)).astype(np.float32), dtype=float)
for it in range(N_ITERS):
    column.refresh()
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        column.solve()
        wp.launch(flow_error, dim=LAYERS, inputs=[column.q, seen], outputs=[loss])
    tape.backward(loss)
    grad = column.law.grad.numpy().copy()
    tape.zero()
    column.law.assign(column.law.numpy() - 0.1 * grad)
    if it % 10 == 0:
        print("iter", it, "loss", float(loss.numpy()[0]), "law", column.law.numpy())
