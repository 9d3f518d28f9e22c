"""Align a scanned outline: rotation, scale and shear of a 2D point set."""
import numpy as np
import warp as wp

START = [0.3, 1.2, 0.1]
N_ITERS = 40
N = 32

angle = np.linspace(0.0, 2.0 * np.pi, N, endpoint=False)
outline = np.stack([np.cos(angle), 0.6 * np.sin(angle) + 0.2 * np.cos(2 * angle)], axis=1)
model = wp.array(outline, dtype=wp.vec2)
scan = wp.array(outline @ np.array([[0.9, -0.3], [0.4, 1.1]]), dtype=wp.vec2)


@wp.func
def placement(angle: float, scale: float, shear: float):
    c = wp.cos(angle)
    s = wp.sin(angle)
    m = wp.mat22(c, -s, s, c)
    m[0, 1] = m[0, 1] + shear * m[0, 0]
    m[0, 0] = m[0, 0] * scale
    m[1, 0] = m[1, 0] * scale
    return m


@wp.kernel
def mismatch(model: wp.array(dtype=wp.vec2), scan: wp.array(dtype=wp.vec2), pose: wp.array(dtype=float),
             loss: wp.array(dtype=float)):
    i = wp.tid()
    m = placement(pose[0], pose[1], pose[2])
    d = m * model[i] - scan[i]
    wp.atomic_add(loss, 0, wp.dot(d, d) / 32.0)


pose = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(mismatch, dim=N, inputs=[model, scan, pose], outputs=[loss])
    tape.backward(loss)
    g = pose.grad.numpy().copy()
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    pose.assign(pose.numpy() - 0.2 * g)
    if it % 8 == 0:
        print(it, losses[-1], pose.numpy())
