"""Fog density in eight cells from lidar returns; a ray stops when it is spent."""
import numpy as np
import warp as wp

START = [0.3, 0.5, 0.8, 0.4, 0.6, 1.0, 0.7, 0.2]
N_ITERS = 40
CELLS, RAYS = 8, 6

first = wp.array([0, 1, 2, 3, 0, 4], dtype=int)
signal = wp.array([0.9, 0.95, 1.0, 0.8, 0.85, 0.75], dtype=float)


@wp.kernel
def trace(fog: wp.array(dtype=float), first: wp.array(dtype=int), cells: int, received: wp.array(dtype=float)):
    r = wp.tid()
    light = float(1.0)
    back = float(0.0)
    for c in range(first[r], cells):
        back = back + light * 0.8 * fog[c]
        light = light * wp.exp(-fog[c])
        if light < 0.15:
            break
    received[r] = back


@wp.kernel
def mismatch(received: wp.array(dtype=float), signal: wp.array(dtype=float), loss: wp.array(dtype=float)):
    r = wp.tid()
    d = received[r] - signal[r]
    wp.atomic_add(loss, 0, d * d)


class FogMap:
    def __init__(self, density):
        self.density = wp.array(density, dtype=float, requires_grad=True)
        self.history = []

    def fit(self, iterations, rate):
        for _ in range(iterations):
            received = wp.zeros(RAYS, dtype=float, requires_grad=True)
            loss = wp.zeros(1, dtype=float, requires_grad=True)
            with wp.Tape() as tape:
                wp.launch(trace, dim=RAYS, inputs=[self.density, first, CELLS], outputs=[received])
                wp.launch(mismatch, dim=RAYS, inputs=[received, signal], outputs=[loss])
            tape.backward(loss)
            step = rate * self.density.grad.numpy()
            tape.zero()
            self.density.assign(self.density.numpy() - step)
            self.history.append(float(loss.numpy()[0]))
            print("lidar loss", self.history[-1])


fog_map = FogMap(START)
fog_map.fit(N_ITERS, 0.1)
print("density", np.round(fog_map.density.numpy(), 3))
