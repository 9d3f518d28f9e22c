"""Choose the release angles of a double pendulum so that its tip ends near a mark after a long swing."""
import numpy as np
import warp as wp

START = [2.2, 2.6]
N_ITERS, STEPS, DT = 12, 600, 0.02


@wp.func
def rates(s: wp.vec4):
    d = s[0] - s[1]
    den = 3.0 - wp.cos(2.0 * d)
    g = 9.81
    pull = -3.0 * g * wp.sin(s[0]) - g * wp.sin(s[0] - 2.0 * s[1])
    a1 = (pull - 2.0 * wp.sin(d) * (s[3] * s[3] + s[2] * s[2] * wp.cos(d))) / den
    a2 = (2.0 * wp.sin(d) * (2.0 * s[2] * s[2] + 2.0 * g * wp.cos(s[0]) + s[3] * s[3] * wp.cos(d))) / den
    return wp.vec4(s[2], s[3], a1, a2)


@wp.kernel
def release(angles: wp.array(dtype=float), states: wp.array(dtype=wp.vec4)):
    states[0] = wp.vec4(angles[0], angles[1], 0.0, 0.0)


@wp.kernel
def swing(states: wp.array(dtype=wp.vec4), k: int, dt: float):
    s = states[k]
    mid = s + 0.5 * dt * rates(s)
    states[k + 1] = s + dt * rates(mid)


@wp.kernel
def tip_error(states: wp.array(dtype=wp.vec4), last: int, loss: wp.array(dtype=float)):
    s = states[last]
    x = wp.sin(s[0]) + wp.sin(s[1])
    y = -wp.cos(s[0]) - wp.cos(s[1])
    loss[0] = (x - 0.8) * (x - 0.8) + (y + 1.2) * (y + 1.2)


angles = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    states = wp.zeros(STEPS + 1, dtype=wp.vec4, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(release, dim=1, inputs=[angles], outputs=[states])
        for k in range(STEPS):
            wp.launch(swing, dim=1, inputs=[states, k, DT])
        wp.launch(tip_error, dim=1, inputs=[states, STEPS], outputs=[loss])
    tape.backward(loss)
    g = angles.grad.numpy().copy()
    tape.zero()
    angles.assign(angles.numpy() - 0.01 * g / (1.0 + np.linalg.norm(g)))
    print(it, "loss", loss.numpy()[0], "gradient", g, "angles", angles.numpy())
