"""Calibrate heating and viscosity of a convection roll on an observation late in the run."""
import numpy as np
import warp as wp

START = [26.0, 9.0]
N_ITERS, STEPS, DT = 4, 1200, 0.025


@wp.func
def tendency(s: wp.vec3, heating: float, viscosity: float):
    return wp.vec3(
        viscosity * (s[1] - s[0]),
        s[0] * (heating - s[2]) - s[1],
        s[0] * s[1] - 2.6666667 * s[2],
    )


@wp.kernel
def begin(states: wp.array(dtype=wp.vec3)):
    states[0] = wp.vec3(1.0, 2.0, 14.0)


@wp.kernel
def advance(states: wp.array(dtype=wp.vec3), p: wp.array(dtype=float), k: int, dt: float):
    s = states[k]
    half = s + 0.5 * dt * tendency(s, p[0], p[1])
    states[k + 1] = s + dt * tendency(half, p[0], p[1])


@wp.kernel
def observe(states: wp.array(dtype=wp.vec3), last: int, loss: wp.array(dtype=float)):
    d = states[last] - wp.vec3(-4.0, -6.5, 18.0)
    loss[0] = 0.01 * wp.dot(d, d)


p = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    states = wp.zeros(STEPS + 1, dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(begin, dim=1, outputs=[states])
        for k in range(STEPS):
            wp.launch(advance, dim=1, inputs=[states, p, k, DT])
        wp.launch(observe, dim=1, inputs=[states, STEPS], outputs=[loss])
    tape.backward(loss)
    g = p.grad.numpy().copy()
    tape.zero()
    size = float(np.linalg.norm(g))
    p.assign(p.numpy() - 0.05 * g / (size + 1.0e-6))
    print(f"{it} loss {loss.numpy()[0]:.4f} |g| {size:.3g} heating, viscosity {p.numpy()}")
