"""Shape an ink drop by two surface terms; a prebuilt launch refreshes a coarse preview between iterations."""
import numpy as np
import warp as wp

N = 40


@wp.kernel
def outline(p: wp.array(dtype=float), radius: wp.array(dtype=float)):
    i = wp.tid()
    a = 6.2831853 * float(i) / 40.0
    radius[i] = 1.0 + p[0] * wp.cos(2.0 * a) + p[1] * wp.cos(3.0 * a) * p[0]


@wp.kernel
def shape_error(radius: wp.array(dtype=float), wanted: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = radius[i] * radius[i] - wanted[i]
    wp.atomic_add(loss, 0, 0.1 * d * d)


@wp.kernel(enable_backward=False)
def preview(radius: wp.array(dtype=float), raster: wp.array2d(dtype=int)):
    i, j = wp.tid()
    x = (float(i) - 3.5) / 2.5
    y = (float(j) - 3.5) / 2.5
    a = wp.atan2(y, x)
    k = int(wp.floor(40.0 * (a + 3.1415927) / 6.2831855)) % 40
    raster[i, j] = int(wp.sqrt(x * x + y * y) < radius[k])


angle = 2.0 * np.pi * np.arange(N) / N
wanted = wp.array((1.0 + 0.3 * np.cos(2 * angle) + 0.12 * np.cos(3 * angle)) ** 2, dtype=float)
p = wp.array([0.1, 0.9], dtype=float, requires_grad=True)
radius = wp.zeros(N, dtype=float, requires_grad=True)
raster = wp.zeros((8, 8), dtype=int)
show = wp.launch(preview, dim=(8, 8), inputs=[radius], outputs=[raster], record_cmd=True)
for it in range(30):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(outline, dim=N, inputs=[p], outputs=[radius])
        wp.launch(shape_error, dim=N, inputs=[radius, wanted], outputs=[loss])
    show.launch()
    tape.backward(loss)
    p.assign(p.numpy() - 0.02 * p.grad.numpy())
    tape.zero()
    if it % 10 == 0:
        print("iteration", it, "loss", loss.numpy()[0], "p", p.numpy(), "filled cells", raster.numpy().sum())
        print("\n".join("".join(".#"[c] for c in row) for row in raster.numpy()))
