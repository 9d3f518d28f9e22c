"""Powers of three heaters on a rod whose middle shall be at 1 degree; the ends are held at 0."""

import numpy as np
import warp as wp

CELLS = 24
SWEEPS = 20
ITERS = 30
RATE = 6e-4


@wp.kernel
def relax(heat: wp.array(dtype=float), power: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    left, right = float(0.0), float(0.0)
    if i > 0:
        left = heat[i - 1]
    if i < 23:
        right = heat[i + 1]
    out[i] = 0.5 * (left + right + power[i / 8])


@wp.kernel
def misfit(heat: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = heat[8 + i] - 1.0
    wp.atomic_add(loss, 0, d * d / 8.0)


power = wp.array([0.01, 0.01, 0.01], dtype=float, requires_grad=True)

for iteration in range(ITERS):
    fields = [wp.zeros(CELLS, dtype=float, requires_grad=True) for _ in range(SWEEPS + 1)]
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for k in range(SWEEPS):
            wp.launch(relax, dim=CELLS, inputs=[fields[k], power], outputs=[fields[k + 1]])
        wp.launch(misfit, dim=8, inputs=[fields[-1]], outputs=[loss])
    tape.backward(loss)
    power.assign(power.numpy() - RATE * power.grad.numpy())
    tape.zero()
    print(f"{iteration:3d}  loss {loss.numpy()[0]:.5f}  power {np.array2string(power.numpy(), precision=4)}")

exact = np.linalg.solve(2.0 * np.eye(CELLS) - np.eye(CELLS, k=1) - np.eye(CELLS, k=-1), power.numpy().repeat(8))
print("middle of the rod by a direct solve:", exact[8:16].round(2))
