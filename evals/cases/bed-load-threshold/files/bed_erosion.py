"""Threshold and roughness of a river bed from bed-load samples at several discharges."""
import numpy as np
import warp as wp
from warp.optim import Adam

START = [0.35, 1.2]
N_ITERS = 30

discharge = np.array([0.2, 0.4, 0.7, 1.0, 1.5, 2.1, 2.8], dtype=np.float32)
bed_load = wp.array(np.maximum(0.9 * discharge - 0.45, 0.0) ** 1.5, dtype=float)
discharge = wp.array(discharge, dtype=float)


@wp.kernel
def transport(discharge: wp.array(dtype=float), bed: wp.array(dtype=float), load: wp.array(dtype=float)):
    i = wp.tid()
    excess = bed[1] * discharge[i] - bed[0]
    load[i] = wp.where(excess > 0.0, wp.pow(excess, 1.5), 0.0)


@wp.kernel
def sample_error(load: wp.array(dtype=float), bed_load: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = load[i] - bed_load[i]
    wp.atomic_add(loss, 0, d * d)


class BedModel:
    def __init__(self, start):
        self.bed = wp.array(start, dtype=float, requires_grad=True)
        self.optimizer = Adam([self.bed], lr=0.01)

    def fit_once(self):
        load = wp.zeros(7, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(transport, dim=7, inputs=[discharge, self.bed], outputs=[load])
            wp.launch(sample_error, dim=7, inputs=[load, bed_load], outputs=[loss])
        tape.backward(loss)
        self.optimizer.step([self.bed.grad])
        tape.zero()
        return float(loss.numpy()[0])


model = BedModel(START)
losses = []
for it in range(N_ITERS):
    losses.append(model.fit_once())
    print(f"bed load {it} loss {losses[-1]:.6f} bed {model.bed.numpy()}")
