"""Estimate the vigour of twelve trees from their heights after several seasons."""
import growth
import numpy as np
import warp as wp

START = [0.30, 0.40, 0.50, 0.35, 0.45, 0.55, 0.60, 0.25, 0.50, 0.40, 0.30, 0.65]
N_ITERS = 30
TREES = len(START)
SEASONS = [(0.6, 0.15), (0.8, 0.30), (0.5, 0.10), (0.7, 0.25)]


@wp.kernel
def height_error(height: wp.array(dtype=float), survey: wp.array(dtype=float), loss: wp.array(dtype=float)):
    t = wp.tid()
    d = height[t] - survey[t]
    wp.atomic_add(loss, 0, d * d)


class Orchard:
    def __init__(self):
        self.vigour = wp.array(START, dtype=float, requires_grad=True)
        self.survey = wp.array(np.linspace(1.2, 2.0, TREES), dtype=float)
        self.seasons = []
        for warmth, rain in SEASONS:
            climate = growth.Climate()
            climate.warmth, climate.rain = warmth, rain
            self.seasons.append(climate)

    def simulate(self):
        height = wp.array(np.full(TREES, 0.5), dtype=float, requires_grad=True)
        for climate in self.seasons:
            following = wp.zeros(TREES, dtype=float, requires_grad=True)
            wp.launch(growth.grow_year, dim=TREES, inputs=[climate, self.vigour, height], outputs=[following])
            height = following
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(height_error, dim=TREES, inputs=[height, self.survey], outputs=[loss])
        return loss


orchard = Orchard()
losses = []
for it in range(N_ITERS):
    with wp.Tape() as tape:
        loss = orchard.simulate()
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    orchard.vigour.assign(orchard.vigour.numpy() - 0.05 * orchard.vigour.grad.numpy())
    tape.zero()
    print(f"fit {it} loss {losses[-1]:.5f}")
