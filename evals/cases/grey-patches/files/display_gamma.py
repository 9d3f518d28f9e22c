"""Calibrate a display: exposure and gamma from photographed grey patches."""
import numpy as np
import warp as wp

START = [0.9, 1.3]
N_ITERS = 40
PATCHES = 9

level = np.linspace(0.0, 1.0, PATCHES)
grey = wp.array(level, dtype=float)
photo = wp.array(0.95 * level**2.2, dtype=float)


@wp.kernel
def emit(grey: wp.array(dtype=float), screen: wp.array(dtype=float), luminance: wp.array(dtype=float)):
    i = wp.tid()
    luminance[i] = screen[0] * wp.pow(grey[i], screen[1])


@wp.kernel
def patch_error(luminance: wp.array(dtype=float), photo: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = luminance[i] - photo[i]
    wp.atomic_add(loss, 0, d * d)


screen = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    luminance = wp.zeros(PATCHES, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(emit, dim=PATCHES, inputs=[grey, screen], outputs=[luminance])
        wp.launch(patch_error, dim=PATCHES, inputs=[luminance, photo], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    screen.assign(screen.numpy() - 0.2 * screen.grad.numpy())
    tape.zero()
    if it % 10 == 0:
        print(f"{it} loss {losses[-1]:.6f} screen {screen.numpy()}")
