"""Find the launch velocities of four curling stones that bring them to rest at their marks."""

import numpy as np
import warp as wp

STONES = 4
STEPS = 100
DT = 0.1
ITERS = 60
RATE = 0.01
START = [[2.6, 0.3], [2.4, -0.4], [2.3, 0.6], [2.5, 0.1]]
MARKS = [[8.2, 0.9], [6.1, -1.2], [3.4, 1.1], [7.0, 0.2]]


@wp.kernel
def release(launch: wp.array(dtype=wp.vec2), x: wp.array2d(dtype=wp.vec2), v: wp.array2d(dtype=wp.vec2)):
    i = wp.tid()
    x[0, i] = wp.vec2(0.0, 0.0)
    v[0, i] = launch[i]


@wp.kernel
def glide(t: int, mu: float, drag: float, dt: float, x: wp.array2d(dtype=wp.vec2), v: wp.array2d(dtype=wp.vec2)):
    i = wp.tid()
    speed = wp.sqrt(wp.dot(v[t, i], v[t, i]))
    braking = dt * (mu + drag * speed * speed)
    keep = wp.where(speed > braking, 1.0 - braking / speed, 0.0)
    v[t + 1, i] = keep * v[t, i]
    x[t + 1, i] = x[t, i] + dt * v[t + 1, i]


@wp.kernel
def miss(last: int, x: wp.array2d(dtype=wp.vec2), marks: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = x[last, i] - marks[i]
    wp.atomic_add(loss, 0, 0.25 * wp.dot(d, d))


launch = wp.array(START, dtype=wp.vec2, requires_grad=True)
marks = wp.array(MARKS, dtype=wp.vec2)

for iteration in range(ITERS):
    x = wp.zeros((STEPS + 1, STONES), dtype=wp.vec2, requires_grad=True)
    v = wp.zeros((STEPS + 1, STONES), dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(release, dim=STONES, inputs=[launch], outputs=[x, v])
        for t in range(STEPS):
            wp.launch(glide, dim=STONES, inputs=[t, 0.12, 0.08, DT], outputs=[x, v])
        wp.launch(miss, dim=STONES, inputs=[STEPS, x, marks], outputs=[loss])
    tape.backward(loss)
    print(f"{iteration:3d}  loss {loss.numpy()[0]:.5f}  launch {np.array2string(launch.numpy().ravel(), precision=3)}")
    launch.assign(launch.numpy() - RATE * launch.grad.numpy())
    tape.zero()
