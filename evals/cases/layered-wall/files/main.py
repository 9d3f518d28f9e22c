"""Conductances of a layered wall from thermometers inside three wall samples (Adam)."""
import numpy as np
import solver
import warp as wp
from warp.optim import Adam

START = [0.5, 0.8, 0.3, 0.6, 0.4, 0.7]
N_ITERS = 25
WALLS, LAYERS = 3, 5


@wp.kernel
def thermometer_error(temp: wp.array2d(dtype=float), seen: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    w, i = wp.tid()
    r = temp[w, i] - seen[w, i]
    wp.atomic_add(loss, 0, r * r)


class WallModel:
    def __init__(self):
        self.cond = wp.array(START, dtype=float, requires_grad=True)
        profile = np.linspace(0.8, 0.2, LAYERS)
        self.initial = np.stack([0.1 + 0.0 * profile, 0.5 * profile, 0.2 + 0.1 * profile])
        self.seen = wp.array(np.stack([profile, profile * 1.1, profile * 0.95]), dtype=float)
        self.optimizer = Adam([self.cond], lr=0.02)

    def step(self):
        temp = wp.array(self.initial, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            for _ in range(2):
                later = wp.zeros((WALLS, LAYERS), dtype=float, requires_grad=True)
                wp.launch(solver.implicit_step, dim=WALLS, inputs=[temp, self.cond, 1.0], outputs=[later])
                temp = later
            wp.launch(thermometer_error, dim=(WALLS, LAYERS), inputs=[temp, self.seen], outputs=[loss])
        tape.backward(loss)
        self.optimizer.step([self.cond.grad])
        tape.zero()
        return float(loss.numpy()[0])


model = WallModel()
losses = []
for it in range(N_ITERS):
    losses.append(model.step())
    print(f"heat {it} loss {losses[-1]:.6f}")
print("conductances", model.cond.numpy())
