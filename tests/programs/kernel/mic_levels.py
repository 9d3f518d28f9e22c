"""Loudest sample of several microphones sets the gain of a mixer."""
import numpy as np
import warp as wp

START = [0.8, 1.4, 1.1]
N_ITERS = 30
MICS, SAMPLES = 3, 40

t = np.linspace(0.0, 6.0, SAMPLES)
sound = wp.array(np.stack([np.sin(2.1 * t), 0.8 * np.cos(1.3 * t), 0.6 * np.sin(t + 0.4)]), dtype=float)
target = wp.array([0.9, 0.6, 0.5], dtype=float)


@wp.kernel
def loudness(sound: wp.array2d(dtype=float), gain: wp.array(dtype=float), samples: int, level: wp.array(dtype=float)):
    m = wp.tid()
    peak = float(0.0)
    for s in range(samples):
        peak = wp.max(peak, gain[m] * sound[m, s])
    level[m] = peak * peak / (0.5 + peak)


@wp.kernel
def level_error(level: wp.array(dtype=float), target: wp.array(dtype=float), loss: wp.array(dtype=float)):
    m = wp.tid()
    d = level[m] - target[m]
    wp.atomic_add(loss, 0, d * d)


gain = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    level = wp.zeros(MICS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(loudness, dim=MICS, inputs=[sound, gain, SAMPLES], outputs=[level])
        wp.launch(level_error, dim=MICS, inputs=[level, target], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    gain.assign(gain.numpy() - 0.1 * gain.grad.numpy())
    tape.zero()
    print("mix", it, "error", losses[-1])
