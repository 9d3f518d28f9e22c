"""Reconstruct four blob intensities from three projections of a plane."""
import numpy as np
import warp as wp

START = [0.5, 0.5, 0.5, 0.5]
N_ITERS = 40
BINS = 8
VIEWS = [0.2, 1.1, 2.3]
CENTRES = np.array([[-0.5, 0.3], [0.4, 0.5], [0.1, -0.6], [0.6, -0.2]], dtype=np.float32)


@wp.kernel
def project(centre: wp.array(dtype=wp.vec2), amount: wp.array(dtype=float), angle: float, n: int,
            row: wp.array(dtype=float)):
    b, k = wp.tid()
    s = centre[b][0] * wp.cos(angle) + centre[b][1] * wp.sin(angle)
    x = -1.0 + 2.0 * (float(k) + 0.5) / float(n)
    wp.atomic_add(row, k, amount[b] * wp.exp(-8.0 * (x - s) * (x - s)))


@wp.kernel
def detect(row: wp.array(dtype=float), gain: float, view: int, sino: wp.array2d(dtype=float)):
    k = wp.tid()
    sino[view, k] = gain * row[k] + 0.02


@wp.kernel
def sinogram_error(sino: wp.array2d(dtype=float), ref: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    v, k = wp.tid()
    d = sino[v, k] - ref[v, k]
    wp.atomic_add(loss, 0, d * d)


centre = wp.array(CENTRES, dtype=wp.vec2)
row = wp.zeros(BINS, dtype=float, requires_grad=True)


def sweep(amount):
    sino = wp.zeros((len(VIEWS), BINS), dtype=float, requires_grad=True)
    for v, angle in enumerate(VIEWS):
        row.zero_()
        wp.launch(project, dim=(4, BINS), inputs=[centre, amount, angle, BINS], outputs=[row])
        wp.launch(detect, dim=BINS, inputs=[row, 1.0 - 0.2 * v, v], outputs=[sino])
    return sino


measured = sweep(wp.array([0.9, 0.2, 0.7, 0.4], dtype=float))
params = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        sino = sweep(params)
        wp.launch(sinogram_error, dim=sino.shape, inputs=[sino, measured], outputs=[loss])
    tape.backward(loss)
    params.assign(params.numpy() - 0.03 * params.grad.numpy())
    tape.zero()
    print(f"{it:3d} {loss.numpy()[0]:.6f} {params.numpy()}")
