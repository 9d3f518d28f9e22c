"""Choose a shot that comes to rest near a pocket after touching the cushion."""
import numpy as np
import warp as wp

START = [1.3, -0.9]
N_ITERS = 30
STEPS, DT = 20, 0.08


@wp.kernel
def shot_power(v: wp.array(dtype=wp.vec2), power: wp.array(dtype=float)):
    power[0] = wp.length(v[0])


@wp.kernel
def roll(p: wp.array(dtype=wp.vec2), v: wp.array(dtype=wp.vec2), friction: wp.array(dtype=float), dt: float,
         p_out: wp.array(dtype=wp.vec2), v_out: wp.array(dtype=wp.vec2)):
    vel = v[0] * (1.0 - dt * friction[0])
    pos = p[0] + dt * vel
    if pos[1] < 0.0 and vel[1] < 0.0:
        vel[1] = -0.8 * vel[1]
        pos[1] = -0.8 * pos[1]
    v_out[0] = vel
    p_out[0] = pos


@wp.kernel
def pocket_distance(p: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    loss[0] = wp.length_sq(p[0] - wp.vec2(1.2, 0.6))


def vec():
    return wp.zeros(1, dtype=wp.vec2, requires_grad=True)


velocity = wp.array(np.array([START], dtype=np.float32), dtype=wp.vec2, requires_grad=True)
for it in range(N_ITERS):
    power = wp.zeros(1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(shot_power, dim=1, inputs=[velocity], outputs=[power])
        friction = wp.array(0.2 + 0.15 * power.numpy() ** 2, dtype=float, requires_grad=True)
        p, v = wp.array([[0.0, 0.35]], dtype=wp.vec2, requires_grad=True), velocity
        for _ in range(STEPS):
            p_new, v_new = vec(), vec()
            wp.launch(roll, dim=1, inputs=[p, v, friction, DT], outputs=[p_new, v_new])
            p, v = p_new, v_new
        wp.launch(pocket_distance, dim=1, inputs=[p], outputs=[loss])
    tape.backward(loss)
    g = velocity.grad.numpy().copy()
    tape.zero()
    velocity.assign(velocity.numpy() - 0.2 * g)
    print(f"{it:2d} loss {loss.numpy()[0]:.5f} shot {velocity.numpy()[0]}")
