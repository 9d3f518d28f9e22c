"""Find thrust corrections for a planar drone; one tape is kept and reset for every iteration."""
import numpy as np
import warp as wp

STEPS, DT = 20, 0.05


@wp.struct
class Body:
    mass: float
    inertia: float
    arm: float


@wp.kernel
def drone(state: wp.array2d(dtype=float), thrust: wp.array(dtype=wp.vec2), body: Body, k: int, dt: float):
    x, y, th = state[k, 0], state[k, 1], state[k, 2]
    vx, vy, om = state[k, 3], state[k, 4], state[k, 5]
    u = thrust[k // 5]
    up = (u[0] + u[1]) / body.mass
    nvx = vx - dt * up * wp.sin(th)
    nvy = vy + dt * (up * wp.cos(th) - 9.81)
    nom = om + dt * body.arm * (u[1] - u[0]) / body.inertia
    state[k + 1, 0] = x + dt * nvx
    state[k + 1, 1] = y + dt * nvy
    state[k + 1, 2] = th + dt * nom
    state[k + 1, 3] = nvx
    state[k + 1, 4] = nvy
    state[k + 1, 5] = nom


@wp.kernel
def hover_cost(state: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    k = wp.tid()
    dx = state[k, 0] - 0.4
    dy = state[k, 1] - 1.0
    wp.atomic_add(loss, 0, dx * dx + dy * dy + 0.1 * state[k, 2] * state[k, 2])


body = Body()
body.mass, body.inertia, body.arm = 0.8, 0.05, 0.2
thrust = wp.array(np.full((4, 2), 4.0, dtype=np.float32) + [0.02, 0.0], dtype=wp.vec2, requires_grad=True)
velocity = np.zeros((4, 2), dtype=np.float32)
tape = wp.Tape()
for it in range(25):
    state = wp.zeros((STEPS + 1, 6), dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with tape:
        for k in range(STEPS):
            wp.launch(drone, dim=1, inputs=[state, thrust, body, k, DT])
        wp.launch(hover_cost, dim=STEPS + 1, inputs=[state], outputs=[loss])
    tape.backward(loss)
    velocity = 0.8 * velocity - 0.01 * thrust.grad.numpy()
    tape.zero()
    tape.reset()
    thrust.assign(thrust.numpy() + velocity)
    if it % 5 == 0:
        print(f"iteration {it} cost {loss.numpy()[0]:.4f} thrust {thrust.numpy().mean(axis=0)}")
