"""Photometry of craters: bright pixels take a node from a shared pool, then the pool is compared with albedos."""
import numpy as np
import warp as wp

START = [0.8, 1.1, 0.9, 1.3]        # reflectance per tile
N_ITERS = 30
PIXELS, TILES = 16, 4

rng = np.random.default_rng(21)
shade = wp.array(rng.uniform(0.3, 1.2, PIXELS), dtype=float)
tile = wp.array(np.arange(PIXELS) % TILES, dtype=int)
albedo = wp.array(rng.uniform(0.5, 1.2, PIXELS), dtype=float)


@wp.kernel
def link(shade: wp.array(dtype=float), tile: wp.array(dtype=int), refl: wp.array(dtype=float),
         used: wp.array(dtype=int), node_value: wp.array(dtype=float), node_pixel: wp.array(dtype=int)):
    p = wp.tid()
    bright = refl[tile[p]] * shade[p]
    if bright > 0.4:
        node = wp.atomic_add(used, 0, 1)
        node_pixel[node] = p
        node_value[node] = bright * bright


@wp.kernel
def slope_error(used: wp.array(dtype=int), node_value: wp.array(dtype=float), node_pixel: wp.array(dtype=int),
                albedo: wp.array(dtype=float), loss: wp.array(dtype=float)):
    n = wp.tid()
    if n < used[0]:
        d = node_value[n] - albedo[node_pixel[n]]
        wp.atomic_add(loss, 0, d * d)


@wp.kernel
def smoothness(refl: wp.array(dtype=float), loss: wp.array(dtype=float)):
    k = wp.tid()
    d = refl[k + 1] - refl[k]
    wp.atomic_add(loss, 0, 0.1 * d * d)


refl = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    used = wp.zeros(1, dtype=int)
    node_value = wp.zeros(2 * PIXELS, dtype=float, requires_grad=True)
    node_pixel = wp.zeros(2 * PIXELS, dtype=int)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(link, dim=PIXELS, inputs=[shade, tile, refl, used], outputs=[node_value, node_pixel])
        wp.launch(slope_error, dim=PIXELS, inputs=[used, node_value, node_pixel, albedo], outputs=[loss])
        wp.launch(smoothness, dim=TILES - 1, inputs=[refl], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    refl.assign(refl.numpy() - 0.03 * refl.grad.numpy())
    tape.zero()
    print(it, "crater loss", losses[-1], "tiles", refl.numpy())
