"""Choose three lens strengths so that a bundle of rays is narrow at two planes behind the lens."""
import numpy as np
import warp as wp

START = [0.30, 0.45, 0.15]
N_ITERS = 40
RAYS = 9


@wp.kernel
def bend(height: wp.array(dtype=float), c: wp.array(dtype=float), slope: wp.array(dtype=float)):
    i = wp.tid()
    y = height[i]
    slope[i] = -(c[0] * y + c[1] * y * y * y) + 0.1 * c[2]


@wp.kernel
def propagate(height: wp.array(dtype=float), slope: wp.array(dtype=float), z: float, hit: wp.array(dtype=float)):
    i = wp.tid()
    hit[i] = height[i] + z * slope[i]


@wp.kernel
def spread(hit: wp.array(dtype=float), weight: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, weight * hit[i] * hit[i])


height = wp.array(np.linspace(-1.0, 1.2, RAYS).astype(np.float32), dtype=float)
params = wp.array(START, dtype=float, requires_grad=True)
slope = wp.zeros(RAYS, dtype=float, requires_grad=True)
hit = wp.zeros(RAYS, dtype=float, requires_grad=True)

for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(bend, dim=RAYS, inputs=[height, params], outputs=[slope])
        wp.launch(propagate, dim=RAYS, inputs=[height, slope, 1.0], outputs=[hit])
        wp.launch(spread, dim=RAYS, inputs=[hit, 0.2], outputs=[loss])
        wp.launch(propagate, dim=RAYS, inputs=[height, slope, 2.5], outputs=[hit])
        wp.launch(spread, dim=RAYS, inputs=[hit, 0.02], outputs=[loss])
    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 0.1 * g)
    if it % 5 == 0:
        print(f"{it:3d} loss {loss.numpy()[0]:.6f} strengths {params.numpy()}")
