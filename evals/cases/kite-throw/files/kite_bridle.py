"""Steer a kite: choose the launch velocity so that it ends near a marker in a sheared wind."""
import warp as wp

START = [[1.5, 0.4, 2.0]]
N_ITERS = 30
STEPS = 7


@wp.kernel
def fly(pos: wp.array(dtype=wp.vec3), vel: wp.array(dtype=wp.vec3), dt: float,
        pos_out: wp.array(dtype=wp.vec3), vel_out: wp.array(dtype=wp.vec3)):
    p = pos[0]
    v = vel[0] - dt * 0.4 * (vel[0] - wp.vec3(0.5 * p[2], 0.0, 0.0))
    v.z = v.z - dt * 0.5 * v.z * v.z
    v.x = v.x * (1.0 - 0.3 * dt * v.z)
    vel_out[0] = v
    pos_out[0] = p + dt * v


@wp.kernel
def distance(pos: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    loss[0] = wp.length_sq(pos[0] - wp.vec3(1.0, 0.5, 1.5))


launch_velocity = wp.array(START, dtype=wp.vec3, requires_grad=True)
losses = []
for it in range(N_ITERS):
    pos = wp.zeros(1, dtype=wp.vec3, requires_grad=True)
    vel = launch_velocity
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for _ in range(STEPS):
            pos_new = wp.zeros(1, dtype=wp.vec3, requires_grad=True)
            vel_new = wp.zeros(1, dtype=wp.vec3, requires_grad=True)
            wp.launch(fly, dim=1, inputs=[pos, vel, 0.1], outputs=[pos_new, vel_new])
            pos, vel = pos_new, vel_new
        wp.launch(distance, dim=1, inputs=[pos], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    launch_velocity.assign(launch_velocity.numpy() - 0.4 * launch_velocity.grad.numpy())
    tape.zero()
    print("flight", it, "miss", losses[-1], "from", launch_velocity.numpy()[0])
