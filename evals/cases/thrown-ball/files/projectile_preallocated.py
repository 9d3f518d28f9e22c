"""Aim a ball with quadratic drag; the trajectory buffer is allocated once and refilled each iteration."""
import numpy as np
import warp as wp

STEPS, DT = 40, 0.04


@wp.kernel
def release(launch: wp.array(dtype=wp.vec3), pos: wp.array(dtype=wp.vec3), vel: wp.array(dtype=wp.vec3)):
    pos[0] = wp.vec3(0.0, 1.6, 0.0)
    vel[0] = launch[0]


@wp.kernel
def fly(pos: wp.array(dtype=wp.vec3), vel: wp.array(dtype=wp.vec3), wind: wp.vec3, t: int, dt: float):
    rel = vel[t] - wind
    a = wp.vec3(0.0, -9.81, 0.0) - 0.05 * wp.length(rel) * rel
    vel[t + 1] = vel[t] + dt * a
    pos[t + 1] = pos[t] + dt * vel[t]


@wp.kernel
def miss(
    pos: wp.array(dtype=wp.vec3), vel: wp.array(dtype=wp.vec3), target: wp.vec3, last: int,
    loss: wp.array(dtype=float),
):
    d = pos[last] - target
    loss[0] = wp.dot(d, d) + 0.002 * wp.dot(vel[0], vel[0])


launch = wp.array([[7.0, 6.0, 0.5]], dtype=wp.vec3, requires_grad=True)
pos = wp.zeros(STEPS + 1, dtype=wp.vec3, requires_grad=True)
vel = wp.zeros(STEPS + 1, dtype=wp.vec3, requires_grad=True)
loss = wp.zeros(1, dtype=float, requires_grad=True)
wind, target = wp.vec3(-1.0, 0.0, 0.8), wp.vec3(9.0, 0.2, -1.0)

for it in range(30):
    pos.zero_()
    vel.fill_(wp.vec3(0.0, 0.0, 0.0))
    loss.zero_()
    tape = wp.Tape()
    with tape:
        wp.launch(release, dim=1, inputs=[launch], outputs=[pos, vel])
        for t in range(STEPS):
            wp.launch(fly, dim=1, inputs=[pos, vel, wind, t, DT])
        wp.launch(miss, dim=1, inputs=[pos, vel, target, STEPS], outputs=[loss])
    tape.backward(loss)
    wp.copy(launch, wp.array(launch.numpy() - 0.15 * launch.grad.numpy(), dtype=wp.vec3))
    tape.zero()
    if it % 6 == 0:
        reach = np.linalg.norm(pos.numpy()[-1] - np.array(target))
        print(it, "loss", loss.numpy()[0], "distance", reach, "launch", launch.numpy()[0])
