"""Choose the strengths of four smoke sources so that the smoke forms a blob after a second."""
import numpy as np
import warp as wp
from fluid import Smoke
from warp.optim import Adam

N, STEPS, DT = 14, 10, 0.6
N_ITERS = 25
START = [1.0, 0.6, 0.8, 1.2]


@wp.kernel
def blob_error(dye: wp.array2d(dtype=float), target: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    d = dye[i, j] - target[i, j]
    wp.atomic_add(loss, 0, 0.1 * d * d)


x, y = np.mgrid[0:N, 0:N]
blob = 0.05 + 1.4 * np.exp(-0.25 * ((x - 6.0) ** 2 + (y - 6.5) ** 2))
target = wp.array(blob, dtype=float)
sources = wp.array(START, dtype=float, requires_grad=True)
optimizer = Adam([sources], lr=0.08)
smoke = Smoke(N, DT, sweeps=8)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        smoke.reset(sources)
        for _ in range(STEPS):
            smoke.step()
        wp.launch(blob_error, dim=(N, N), inputs=[smoke.dye, target], outputs=[loss])
    tape.backward(loss)
    optimizer.step([sources.grad])
    tape.zero()
    if it % 4 == 0:
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} sources {sources.numpy()}")
