"""Trim a glider: choose lift and brake settings for the best sink rate over a band of speeds."""
import numpy as np
import warp as wp

START = [0.4, 0.2]
N_ITERS = 30
SPEEDS = np.linspace(0.8, 2.0, 10).astype(np.float32)


@wp.kernel
def sink_rate(speed: wp.array(dtype=float), trim: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    v = speed[i]
    lift = trim[0] * v * v
    drag = 0.05 + 0.3 * trim[0] * trim[0] + 0.1 * trim[1] * trim[1]
    sink = v * v * v * drag + 0.4 * (1.0 - lift) * (1.0 - lift) - 0.03 * trim[1] * v
    wp.atomic_add(loss, 0, 0.1 * sink)


speed = wp.array(SPEEDS, dtype=float)
trim = wp.array(START, dtype=float, requires_grad=True)
log = []
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(sink_rate, dim=len(SPEEDS), inputs=[speed, trim], outputs=[loss])
    tape.backward(loss)
    g = trim.grad.numpy().copy()
    trim.assign(trim.numpy() - 0.05 * g)
    if it % 5 == 0:
        log.append((it, float(loss.numpy()[0])))
        print("iter", it, "loss", log[-1][1], "trim", trim.numpy())
        tape.zero()
