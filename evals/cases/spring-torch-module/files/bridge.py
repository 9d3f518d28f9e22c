"""A row of masses between walls, relaxed under load, as a differentiable torch function."""
import torch
import warp as wp

MASSES = 4


@wp.kernel
def extend(k: wp.array(dtype=float), load: wp.array(dtype=float), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    left = float(0.0)
    right = float(0.0)
    if i > 0:
        left = x[i - 1]
    if i < 3:
        right = x[i + 1]
    pull = load[i] - k[i] * x[i] - 0.5 * (2.0 * x[i] - left - right)
    out[i] = x[i] + 0.15 * pull


class Springs:
    """Arrays are made once; `steps` damped moves lead close to rest."""

    def __init__(self, load, steps=12):
        self.load = wp.array(load, dtype=float)
        self.steps = steps
        self.k = wp.zeros(MASSES, dtype=float, requires_grad=True)
        self.states = [wp.zeros(MASSES, dtype=float, requires_grad=True) for _ in range(steps + 1)]

    def run(self, k):
        self.k.assign(wp.from_torch(k))
        self.tape = wp.Tape()
        with self.tape:
            for a, b in zip(self.states[:-1], self.states[1:]):
                wp.launch(extend, dim=MASSES, inputs=[self.k, self.load, a], outputs=[b])
        return self.states[-1]


class Deflection(torch.autograd.Function):
    @staticmethod
    def forward(ctx, k, sim):
        ctx.sim = sim
        return wp.to_torch(sim.run(k.detach())).clone()

    @staticmethod
    def backward(ctx, upstream):
        sim = ctx.sim
        sim.tape.backward(grads={sim.states[-1]: wp.from_torch(upstream.contiguous())})
        return wp.to_torch(sim.k.grad).clone(), None
