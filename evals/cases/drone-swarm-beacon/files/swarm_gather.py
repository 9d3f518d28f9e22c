"""Train cohesion and wind compensation of a drone swarm so that it gathers around a beacon."""
import numpy as np
import warp as wp

START = [0.5, 0.3]
N_ITERS = 30
DRONES, STEPS, DT = 5, 8, 0.2


@wp.kernel
def wind_share(p: wp.array(dtype=float), share: wp.array(dtype=float)):
    i = wp.tid()
    share[i] = wp.exp(-p[1] * (1.0 + 0.2 * float(i)))


@wp.kernel
def attract(x: wp.array(dtype=wp.vec2), p: wp.array(dtype=float), push: wp.array(dtype=wp.vec2)):
    i, j = wp.tid()
    if i != j:
        d = x[j] - x[i]
        wp.atomic_add(push, i, p[0] * d / (1.0 + wp.length_sq(d)))


@wp.kernel
def move(x: wp.array(dtype=wp.vec2), push: wp.array(dtype=wp.vec2), share: wp.array(dtype=float), dt: float,
         out: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    out[i] = x[i] + dt * (push[i] + share[i] * wp.vec2(0.6, 0.2))


@wp.kernel
def scatter(x: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[i] - wp.vec2(0.4, 0.1)))


class Swarm:
    def __init__(self):
        rng = np.random.default_rng(12)
        self.initial = rng.normal(0.0, 1.0, (DRONES, 2)).astype(np.float32)
        self.push = wp.zeros(DRONES, dtype=wp.vec2, requires_grad=True)
        self.share = wp.zeros(DRONES, dtype=float)

    def loss(self, p):
        x = wp.array(self.initial, dtype=wp.vec2, requires_grad=True)
        wp.launch(wind_share, dim=DRONES, inputs=[p], outputs=[self.share])
        for _ in range(STEPS):
            self.push.zero_()
            wp.launch(attract, dim=(DRONES, DRONES), inputs=[x, p], outputs=[self.push])
            nxt = wp.zeros_like(x)
            wp.launch(move, dim=DRONES, inputs=[x, self.push, self.share, DT], outputs=[nxt])
            x = nxt
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(scatter, dim=DRONES, inputs=[x], outputs=[loss])
        return loss


swarm = Swarm()
params = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    with wp.Tape() as tape:
        loss = swarm.loss(params)
    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 0.01 * g)
    print("iter", it, "loss", loss.numpy()[0], "params", params.numpy())
