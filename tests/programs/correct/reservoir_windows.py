"""Track an inflow signal with a recurrent level model: truncated windows, gains are updated after each window."""
import numpy as np
import warp as wp

WINDOW, N_WINDOWS = 8, 24
time = np.arange(WINDOW * N_WINDOWS)
signal = (0.6 * np.sin(0.21 * time) + 0.3 * np.cos(0.055 * time)).astype(np.float32)
drive = wp.array(signal, dtype=float)
wanted = wp.array(np.roll(signal, 2) * 0.8, dtype=float)


@wp.kernel
def cell(
    level: wp.array(dtype=wp.vec2), gains: wp.array(dtype=float), drive: wp.array(dtype=float), t: int,
    out: wp.array(dtype=wp.vec2),
):
    a = level[0]
    u = drive[t]
    p = wp.tanh(gains[0] * a[0] + gains[1] * u)
    q = wp.tanh(gains[2] * a[1] + gains[3] * a[0])
    out[0] = wp.vec2(p, q)


@wp.kernel
def readout_error(level: wp.array(dtype=wp.vec2), wanted: wp.array(dtype=float), t: int, loss: wp.array(dtype=float)):
    e = level[0][0] + 0.5 * level[0][1] - wanted[t]
    wp.atomic_add(loss, 0, e * e)


def unroll(level, gains, start, loss):
    for t in range(start, start + WINDOW):
        out = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
        wp.launch(cell, dim=1, inputs=[level, gains, drive, t], outputs=[out])
        wp.launch(readout_error, dim=1, inputs=[out, wanted, t], outputs=[loss])
        level = out
    return level


gains = wp.array([0.3, 0.5, 0.4, 0.2], dtype=float, requires_grad=True)
carried = np.zeros((1, 2), dtype=np.float32)
for w in range(N_WINDOWS):
    level = wp.array(carried, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        last = unroll(level, gains, w * WINDOW, loss)
    tape.backward(loss)
    gains.assign(gains.numpy() - 0.05 * gains.grad.numpy())
    tape.zero()
    carried = last.numpy().copy()
    if w % 6 == 0:
        print(f"window {w:2d} loss {loss.numpy()[0]:.5f} gains {gains.numpy()}")
