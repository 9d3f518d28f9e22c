"""Calibrate focal length and distortion of a camera; the residuals are formed in numpy."""
import numpy as np
import warp as wp

POINTS = 30
rng = np.random.default_rng(9)
world = np.stack([rng.uniform(-1, 1, POINTS), rng.uniform(-1, 1, POINTS), rng.uniform(2, 4, POINTS)], axis=1)
r2 = (world[:, 0] ** 2 + world[:, 1] ** 2) / world[:, 2] ** 2
pixels = (1.3 * (1 - 0.15 * r2))[:, None] * world[:, :2] / world[:, 2:] + [0.05, -0.02]


@wp.kernel
def project(points: wp.array(dtype=wp.vec3), lens: wp.array(dtype=float), image: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    p = points[i]
    u = wp.vec2(p[0] / p[2], p[1] / p[2])
    r = wp.dot(u, u)
    image[i] = lens[0] * (1.0 + lens[1] * r) * u + wp.vec2(lens[2], lens[3])


points = wp.array(world, dtype=wp.vec3)
lens = wp.array([1.0, 0.0, 0.0, 0.0], dtype=float, requires_grad=True)
for it in range(50):
    image = wp.zeros(POINTS, dtype=wp.vec2, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(project, dim=POINTS, inputs=[points, lens], outputs=[image])
    residual = image.numpy() - pixels
    error = float((residual**2).sum() / POINTS)
    seed = wp.array(2.0 * residual / POINTS, dtype=wp.vec2)
    tape.backward(grads={image: seed})
    gradient = lens.grad.numpy().copy()
    tape.zero()
    lens.assign(lens.numpy() - 0.5 * gradient)
    if it % 10 == 0:
        print(f"iteration {it} mean squared pixel error {error:.6f} lens {lens.numpy()}")

residual = np.linalg.norm(image.numpy() - pixels, axis=1)
worst = int(residual.argmax())
print(f"worst point {worst} at {world[worst]}: {residual[worst]:.4f} pixels")
print("focal length", lens.numpy()[0])
