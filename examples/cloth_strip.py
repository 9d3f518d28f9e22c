"""Find the pull of three winches so that a hanging cloth strip passes its markers; simulated in windows."""

import numpy as np
import warp as wp

N = 16
STEPS = 32
WINDOW = 8
DT = 0.05
ITERS = 60
RATE = 0.02


@wp.struct
class Strip:
    x: wp.array(dtype=wp.vec2)
    v: wp.array(dtype=wp.vec2)


@wp.kernel
def advance(before: Strip, pull: wp.array(dtype=float), last: int, dt: float, after: Strip):
    i = wp.tid()
    f = wp.vec2(0.0, -1.0) - 0.3 * before.v[i]
    if i > 0:
        d = before.x[i - 1] - before.x[i]
        r = wp.length(d)
        f += 60.0 * (r - 0.1) / r * d
    if i < last:
        d = before.x[i + 1] - before.x[i]
        r = wp.length(d)
        f += 60.0 * (r - 0.1) / r * d
    s = float(i) / float(last)
    for k in range(3):
        c = (s - 0.5 * float(k)) / 0.25
        f += wp.vec2(0.5, 1.0) * pull[k] * wp.exp(-c * c) * (1.0 + before.x[i][0] * before.x[i][0])
    v = before.v[i] + dt * f
    if i == 0:
        v = wp.vec2(0.0, 0.0)
    after.v[i] = v
    after.x[i] = before.x[i] + dt * v


@wp.kernel
def misfit(strip: Strip, markers: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = strip.x[i] - markers[i]
    wp.atomic_add(loss, 0, wp.dot(d, d) / 16.0)


def new_strip():
    s = Strip()
    s.x = wp.array(np.stack([np.arange(N) * 0.1, np.zeros(N)], axis=1), dtype=wp.vec2, requires_grad=True)
    s.v = wp.zeros(N, dtype=wp.vec2, requires_grad=True)
    return s


def seen(window):
    """Marker positions in the film of the real strip at the end of a window."""
    s = np.linspace(0.0, 1.0, N)
    lift = 0.25 * np.sin(np.pi * s) * (1.0 - 0.3 * window) + 0.1 * s * window
    return wp.array(np.stack([1.45 * s, lift], axis=1), dtype=wp.vec2)


markers = [seen(window) for window in range(STEPS // WINDOW)]
pull = wp.array([1.0, 1.0, 1.0], dtype=float, requires_grad=True)
buffers = [new_strip(), new_strip()]

for iteration in range(ITERS):
    start = new_strip()
    wp.copy(buffers[0].x, start.x)
    wp.copy(buffers[0].v, start.v)
    total = 0.0
    for window in range(STEPS // WINDOW):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            for step in range(WINDOW):
                wp.launch(
                    advance, dim=N, inputs=[buffers[step % 2], pull, N - 1, DT], outputs=[buffers[(step + 1) % 2]]
                )
            wp.launch(misfit, dim=N, inputs=[buffers[0], markers[window]], outputs=[loss])
        tape.backward(loss)
        total += loss.numpy()[0]
    pull.assign(pull.numpy() - RATE * pull.grad.numpy())
    pull.grad.zero_()
    print(f"{iteration:3d}  loss {total:.6f}")
