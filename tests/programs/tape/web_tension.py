"""Fit the pretension of a cable web; forces, velocities and positions live in three reused arrays."""
import numpy as np
import warp as wp

START = [0.5, 1.5, 0.8, 0.2, 1.0]
N_ITERS, STEPS, DT = 20, 24, 0.02


@wp.kernel
def cable_force(
    x: wp.array(dtype=wp.vec3), ends: wp.array(dtype=wp.vec2i), span: wp.array(dtype=wp.vec3),
    tension: wp.array(dtype=float), force: wp.array(dtype=wp.vec3),
):
    s = wp.tid()
    a = ends[s][0]
    b = ends[s][1]
    d = x[b] - x[a]
    f = 30.0 * (d - span[s]) + wp.normalize(d) * tension[s] * tension[s]
    wp.atomic_add(force, a, f)
    wp.atomic_sub(force, b, f)


@wp.kernel
def advance(
    x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), force: wp.array(dtype=wp.vec3),
    free: wp.array(dtype=float), dt: float,
):
    i = wp.tid()
    v[i] += dt * free[i] * (force[i] + wp.vec3(0.0, -9.8, 0.0))
    x[i] += dt * v[i]


@wp.kernel
def mismatch(x: wp.array(dtype=wp.vec3), goal: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[i] - goal[i]))


rest = np.array([[0, 0, 0], [1, 0, 0], [0.5, -0.7, 0.1], [0.6, -1.4, 0.2]], dtype=np.float32)
links = np.array([[0, 2], [1, 2], [2, 3], [0, 3], [1, 3]], dtype=np.int32)
ends = wp.array(links, dtype=wp.vec2i)
span = wp.array(rest[links[:, 1]] - rest[links[:, 0]], dtype=wp.vec3)
free = wp.array([0.0, 0.0, 1.0, 1.0], dtype=float)
lift = np.array([[0, 0, 0], [0, 0, 0], [0.02, 0.1, 0], [-0.05, 0.2, 0]], dtype=np.float32)
goal = wp.array(rest + lift, dtype=wp.vec3)
tension = wp.array(START, dtype=float, requires_grad=True)

for it in range(N_ITERS):
    x = wp.array(rest, dtype=wp.vec3, requires_grad=True)
    v = wp.zeros(4, dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for _ in range(STEPS):
            force = wp.zeros(4, dtype=wp.vec3, requires_grad=True)
            wp.launch(cable_force, dim=5, inputs=[x, ends, span, tension, force])
            wp.launch(advance, dim=4, inputs=[x, v, force, free, DT])
        wp.launch(mismatch, dim=4, inputs=[x, goal], outputs=[loss])
    tape.backward(loss)
    g = tension.grad.numpy().copy()
    tape.zero()
    tension.assign(tension.numpy() - 3.0 * g)
    if it % 5 == 0:
        print(f"iter {it} loss {loss.numpy()[0]:.6f} tension {tension.numpy()}")
