"""Mix of four lamps whose spectrum, relative to the white patch, should match a reference light."""
import numpy as np
import warp as wp
import warp.optim

START = [0.7, 0.4, 0.9, 0.5]
N_ITERS = 40
BANDS = 24

band = np.linspace(0.0, 1.0, BANDS)
lamps = wp.array(np.stack([np.exp(-((band - c) / 0.25) ** 2) for c in (0.1, 0.4, 0.6, 0.9)]), dtype=float)
daylight = wp.array(0.6 + 0.4 * np.sin(3.0 * band), dtype=float)


@wp.kernel
def illuminate(lamps: wp.array2d(dtype=float), power: wp.array(dtype=float), light: wp.array(dtype=float)):
    b, k = wp.tid()
    wp.atomic_add(light, b, lamps[k, b] * power[k])


@wp.kernel
def white_level(light: wp.array(dtype=float), white: wp.array(dtype=float)):
    b = wp.tid()
    wp.atomic_add(white, 0, light[b] / 16.0)


@wp.kernel
def normalise(white: wp.array(dtype=float), light: wp.array(dtype=float)):
    b = wp.tid()
    light[b] /= white[0]


@wp.kernel
def colour_error(light: wp.array(dtype=float), ref: wp.array(dtype=float), loss: wp.array(dtype=float)):
    b = wp.tid()
    d = light[b] - ref[b]
    wp.atomic_add(loss, 0, d * d)


power = wp.array(START, dtype=float, requires_grad=True)
optimizer = warp.optim.SGD([power], lr=0.02)
losses = []
for it in range(N_ITERS):
    light = wp.zeros(BANDS, dtype=float, requires_grad=True)
    white = wp.zeros(1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(illuminate, dim=(BANDS, 4), inputs=[lamps, power], outputs=[light])
        wp.launch(white_level, dim=BANDS, inputs=[light], outputs=[white])
        wp.launch(normalise, dim=BANDS, inputs=[white], outputs=[light])
        wp.launch(colour_error, dim=BANDS, inputs=[light, daylight], outputs=[loss])
    tape.backward(loss)
    optimizer.step([power.grad])
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    if it % 8 == 0:
        print(it, "colour error", losses[-1])
print("lamps", power.numpy())
