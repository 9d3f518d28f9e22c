"""Tune fin lengths of a radiator; the temperature field is refreshed before each of its readers."""
import numpy as np
import warp as wp

FINS = 6


@wp.kernel
def fin_temperature(length: wp.array(dtype=float), load: wp.array(dtype=float), temp: wp.array(dtype=float)):
    i = wp.tid()
    m = 1.3 * length[i]
    temp[i] = load[i] / (0.4 + wp.tanh(m))


@wp.kernel
def overheating(temp: wp.array(dtype=float), limit: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    d = temp[i] - limit
    wp.atomic_add(loss, 0, d * d)


@wp.kernel
def mass_and_gradient(temp: wp.array(dtype=float), length: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    j = (i + 1) % length.shape[0]
    wp.atomic_add(loss, 0, 0.05 * length[i] * length[i] + 0.2 * (temp[i] - temp[j]) * (temp[i] - temp[j]))


class Radiator:
    def __init__(self, load):
        self.load = wp.array(load, dtype=float)
        self.length = wp.full(FINS, 0.8, dtype=float, requires_grad=True)
        self.temp = wp.zeros(FINS, dtype=float, requires_grad=True)

    def refresh(self):
        wp.launch(fin_temperature, dim=FINS, inputs=[self.length, self.load], outputs=[self.temp])

    def cost(self):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        self.refresh()
        wp.launch(overheating, dim=FINS, inputs=[self.temp, 0.9], outputs=[loss])
        self.refresh()
        wp.launch(mass_and_gradient, dim=FINS, inputs=[self.temp, self.length], outputs=[loss])
        return loss


radiator = Radiator([0.9, 1.2, 1.6, 1.5, 1.1, 0.8])
for it in range(30):
    with wp.Tape() as tape:
        loss = radiator.cost()
    tape.backward(loss)
    radiator.length.assign(radiator.length.numpy() - 0.2 * radiator.length.grad.numpy())
    tape.zero()
    if it % 6 == 0:
        print(f"{it:2d} cost {loss.numpy()[0]:.5f} hottest {np.max(radiator.temp.numpy()):.4f}")
