"""Estimate recharge in two districts from well levels; the head field comes from a handful of relaxation sweeps."""
import warp as wp

N, SWEEPS, N_ITERS = 12, 12, 30


@wp.kernel
def sweep(h: wp.array2d(dtype=float), recharge: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    n = h.shape[0]
    if i > 0 and j > 0 and i < n - 1 and j < n - 1:
        source = recharge[0]
        if j >= n // 2:
            source = recharge[1]
        out[i, j] = 0.25 * (h[i - 1, j] + h[i + 1, j] + h[i, j - 1] + h[i, j + 1] + source * source)


@wp.kernel
def well_error(
    h: wp.array2d(dtype=float), wells: wp.array(dtype=wp.vec2i), seen: wp.array(dtype=float),
    loss: wp.array(dtype=float),
):
    w = wp.tid()
    e = h[wells[w][0], wells[w][1]] - seen[w]
    wp.atomic_add(loss, 0, e * e)


def head_field(recharge):
    h = wp.zeros((N, N), dtype=float, requires_grad=True)
    for _ in range(SWEEPS):
        out = wp.zeros((N, N), dtype=float, requires_grad=True)
        wp.launch(sweep, dim=(N, N), inputs=[h, recharge], outputs=[out])
        h = out
    return h


wells = wp.array([[3, 3], [6, 8], [8, 4], [5, 9]], dtype=wp.vec2i)
seen = wp.array([0.9, 1.6, 1.1, 1.3], dtype=float)
recharge = wp.array([0.4, 0.5], dtype=float, requires_grad=True)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(well_error, dim=4, inputs=[head_field(recharge), wells, seen], outputs=[loss])
    tape.backward(loss)
    recharge.assign(recharge.numpy() - 0.01 * recharge.grad.numpy())
    tape.zero()
    if it % 6 == 0:
        print("iteration", it, "loss", loss.numpy()[0], "recharge", recharge.numpy())
