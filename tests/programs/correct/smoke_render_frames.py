"""Choose two vent strengths for a smoke column; each iteration also renders a picture of the density."""
import warp as wp

W, H, STEPS = 10, 14, 14


@wp.kernel
def rise(d: wp.array2d(dtype=float), vent: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    below = float(0.0)
    if i > 0:
        below = d[i - 1, j]
    side = d[i, (j + 1) % d.shape[1]] - 2.0 * d[i, j] + d[i, (j + 9) % d.shape[1]]
    inflow = float(0.0)
    if i == 0 and j == 3:
        inflow = vent[0] * vent[0]
    if i == 0 and j == 7:
        inflow = vent[1] * vent[1]
    out[i, j] = 0.5 * d[i, j] + 0.45 * below + 0.1 * side + inflow / (1.0 + d[i, j])


@wp.kernel(enable_backward=False)
def render(d: wp.array2d(dtype=float), image: wp.array2d(dtype=wp.uint8)):
    i, j = wp.tid()
    image[i, j] = wp.uint8(wp.int32(wp.clamp(d[i, j] * 255.0, 0.0, 255.0)))


@wp.kernel
def picture_error(d: wp.array2d(dtype=float), seen: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    e = d[i, j] - seen[i, j]
    wp.atomic_add(loss, 0, e * e)


def column(vent, image=None):
    d = wp.zeros((H, W), dtype=float, requires_grad=True)
    for _ in range(STEPS):
        out = wp.zeros((H, W), dtype=float, requires_grad=True)
        wp.launch(rise, dim=(H, W), inputs=[d, vent], outputs=[out])
        if image is not None:
            wp.launch(render, dim=(H, W), inputs=[out], outputs=[image])
        d = out
    return d


seen = wp.array(column(wp.array([0.5, 0.3], dtype=float)).numpy(), dtype=float)
image = wp.zeros((H, W), dtype=wp.uint8)
vent = wp.array([0.3, 0.45], dtype=float, requires_grad=True)
for it in range(30):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        d = column(vent, image)
        wp.launch(picture_error, dim=(H, W), inputs=[d, seen], outputs=[loss])
    wp.launch(render, dim=(H, W), inputs=[d], outputs=[image])
    tape.backward(loss)
    vent.assign(vent.numpy() - 0.15 * vent.grad.numpy())
    tape.zero()
    if it % 6 == 0:
        print(f"iteration {it} loss {loss.numpy()[0]:.6f} brightest {image.numpy().max()} vents {vent.numpy()}")
