"""Pressures of two air cushions under a square membrane, from laser readings of its deflection."""
import numpy as np
import warp as wp
from warp.optim import SGD

N = 14
SWEEPS = 10
TENSION = 6.0

@wp.kernel
def load_field(cushion: wp.array(dtype=float), load: wp.array2d(dtype=float)):
    i, j = wp.tid()
    dx = float(i) - 4.0
    dy = float(j) - 4.5
    ex = float(i) - 9.0
    ey = float(j) - 8.5
    load[i, j] = cushion[0] * wp.exp(-0.12 * (dx * dx + dy * dy)) + cushion[1] * wp.exp(-0.2 * (ex * ex + ey * ey))


@wp.kernel
def jacobi_sweep(u: wp.array2d(dtype=float), load: wp.array2d(dtype=float), tension: float,
                 out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    n = u.shape[0]
    if i > 0 and j > 0 and i < n - 1 and j < n - 1:
        around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
        out[i, j] = 0.25 * (around + load[i, j] / tension)


@wp.kernel
def laser_error(u: wp.array2d(dtype=float), spot: wp.array(dtype=wp.vec2i), reading: wp.array(dtype=float),
                loss: wp.array(dtype=float)):
    k = wp.tid()
    d = u[spot[k][0], spot[k][1]] - reading[k]
    wp.atomic_add(loss, 0, d * d)


class Membrane:
    def __init__(self, start):
        self.cushion = wp.array(start, dtype=float, requires_grad=True)
        self.spot = wp.array(np.array([[4, 4], [9, 9], [7, 6]], dtype=np.int32), dtype=wp.vec2i)
        self.reading = wp.array([0.62, 0.40, 0.55], dtype=float)

    def deflection(self):
        load = wp.zeros((N, N), dtype=float, requires_grad=True)
        wp.launch(load_field, dim=(N, N), inputs=[self.cushion], outputs=[load])
        u = wp.zeros((N, N), dtype=float, requires_grad=True)
        for _ in range(SWEEPS):
            out = wp.zeros((N, N), dtype=float, requires_grad=True)
            wp.launch(jacobi_sweep, dim=(N, N), inputs=[u, load, TENSION], outputs=[out])
            u = out
        return u

    def loss(self):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(laser_error, dim=3, inputs=[self.deflection(), self.spot, self.reading], outputs=[loss])
        return loss


membrane = Membrane([0.8, 0.8])
optimizer = SGD([membrane.cushion], lr=2.0)
for it in range(40):
    with wp.Tape() as tape:
        loss = membrane.loss()
    tape.backward(loss)
    optimizer.step([membrane.cushion.grad])
    tape.zero()
    if it % 8 == 0 or it == 39:
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} cushions {membrane.cushion.numpy()}")
