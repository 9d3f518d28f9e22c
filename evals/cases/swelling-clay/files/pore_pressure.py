"""Fit permeability and stiffness of clay."""
import numpy as np
import warp as wp
from warp.optim import SGD

START = [0.9, 1.3]
N_ITERS = 30
LAYERS = 8


@wp.kernel
def suction(depth: wp.array(dtype=float), p: wp.array(dtype=float), s: wp.array(dtype=float)):
    i = wp.tid()
    s[i] = p[0] * 25.0 * (depth[i] - 0.35)


@wp.kernel
def swelling(s: wp.array(dtype=float), swell: wp.array(dtype=float)):
    i = wp.tid()
    x = 4.0 * s[i]
    swell[i] = 0.1 * wp.where(x > 20.0, x, wp.log(1.0 + wp.exp(x)))


@wp.kernel
def settlement(swell: wp.array(dtype=float), p: wp.array(dtype=float), seen: wp.array(dtype=float),
               loss: wp.array(dtype=float)):
    i = wp.tid()
    d = swell[i] / p[1] - seen[i]
    wp.atomic_add(loss, 0, 0.1 * d * d)


depth = wp.array(np.linspace(0.0, 1.6, LAYERS).astype(np.float32), dtype=float)
seen = wp.array(np.array([0.0, 0.03, 0.6, 2.0, 3.4, 4.8, 6.2, 7.6], dtype=np.float32), dtype=float)
params = wp.array(START, dtype=float, requires_grad=True)
optimizer = SGD([params], lr=0.01)
s = wp.zeros(LAYERS, dtype=float)
swell = wp.zeros(LAYERS, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(suction, dim=LAYERS, inputs=[depth, params], outputs=[s])
        wp.launch(swelling, dim=LAYERS, inputs=[s], outputs=[swell])
        wp.launch(settlement, dim=LAYERS, inputs=[swell, params, seen], outputs=[loss])
    tape.backward(loss)
    optimizer.step([params.grad])
    tape.zero()
    if it % 5 == 0:
        print(f"iter {it} loss {loss.numpy()[0]:.5f} params {params.numpy()}")
