"""Shape a lamp chain: one flat parameter vector is read as two halves and reshaped into a grid of lamps."""
import warp as wp

ROWS, COLS = 3, 6


@wp.kernel
def place(sag: wp.array(dtype=float), tilt: wp.array(dtype=float), height: wp.array2d(dtype=float)):
    r, c = wp.tid()
    u = (float(c) - 2.5) / 2.5
    height[r, c] = wp.cosh(sag[r] * u) - 1.0 + tilt[r] * u


@wp.kernel
def light(height: wp.array(dtype=float), floor_light: wp.array(dtype=float)):
    i = wp.tid()
    for k in range(height.shape[0]):
        d = 0.15 * float(i - k)
        floor_light[i] += 0.3 / (0.5 + d * d + height[k] * height[k])


@wp.kernel
def evenness(floor_light: wp.array(dtype=float), wanted: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    d = floor_light[i] - wanted
    wp.atomic_add(loss, 0, d * d)


@wp.kernel
def middle_row(height: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.2 * (height[i] - 0.1) * (height[i] - 0.1))


p = wp.array([0.8, 0.5, 0.3, 0.1, -0.2, 0.1], dtype=float, requires_grad=True)
half = p.shape[0] // 2
for it in range(30):
    height = wp.zeros((ROWS, COLS), dtype=float, requires_grad=True)
    floor_light = wp.zeros(ROWS * COLS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(place, dim=(ROWS, COLS), inputs=[p[:half], p[half:]], outputs=[height])
        wp.launch(light, dim=ROWS * COLS, inputs=[height.reshape(ROWS * COLS)], outputs=[floor_light])
        wp.launch(evenness, dim=ROWS * COLS, inputs=[floor_light, 4.2], outputs=[loss])
        wp.launch(middle_row, dim=COLS, inputs=[height[1]], outputs=[loss])
    tape.backward(loss)
    p.assign(p.numpy() - 0.002 * p.grad.numpy())
    p.grad.zero_()
    if it % 6 == 0:
        print("iteration", it, "loss", loss.numpy()[0], "sag", p[:half].numpy(), "tilt", p[half:].numpy())
