"""Find a few echoes in a recording: least squares with an absolute-value penalty, starting from silence."""
import numpy as np
import warp as wp

TAPS, LENGTH = 6, 36


@wp.kernel
def convolve(x: wp.array(dtype=float), echo: wp.array(dtype=float), y: wp.array(dtype=float)):
    i, k = wp.tid()
    wp.atomic_add(y, i, echo[k] * x[i + k])


@wp.kernel
def misfit(y: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (y[i] - seen[i]) * (y[i] - seen[i]) / 36.0)


@wp.kernel
def penalty(echo: wp.array(dtype=float), weight: float, loss: wp.array(dtype=float)):
    k = wp.tid()
    wp.atomic_add(loss, 0, weight * wp.abs(echo[k]))


rng = np.random.default_rng(12)
sound = rng.normal(size=LENGTH + TAPS).astype(np.float32)
seen_np = 0.9 * sound[1 : LENGTH + 1] - 0.4 * sound[4 : LENGTH + 4]
x, seen = wp.array(sound, dtype=float), wp.array(seen_np, dtype=float)
echo = wp.zeros(TAPS, dtype=float, requires_grad=True)
for it in range(40):
    y = wp.zeros(LENGTH, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(convolve, dim=(LENGTH, TAPS), inputs=[x, echo], outputs=[y])
        wp.launch(misfit, dim=LENGTH, inputs=[y, seen], outputs=[loss])
        wp.launch(penalty, dim=TAPS, inputs=[echo, 0.2], outputs=[loss])
    tape.backward(loss)
    echo.assign(echo.numpy() - 0.1 * echo.grad.numpy())
    tape.zero()
    if it % 8 == 0:
        print("iteration", it, "loss", loss.numpy()[0], "echo", np.round(echo.numpy(), 3))
