"""Tune three actuators so that the peak intensity of each beam profile reaches its set point."""
import numpy as np
import warp as wp

START = [0.4, 0.9, 0.6]
N_ITERS = 30
BEAMS, PIXELS = 8, 32

rng = np.random.default_rng(3)
modes = wp.array(rng.uniform(0.1, 1.0, (3, BEAMS, PIXELS)), dtype=float)
set_point = wp.array(np.full(BEAMS, 1.1), dtype=float)


@wp.kernel
def expose(modes: wp.array3d(dtype=float), drive: wp.array(dtype=float), image: wp.array2d(dtype=float)):
    b, p = wp.tid()
    s = drive[0] * modes[0, b, p] + drive[1] * modes[1, b, p] + drive[2] * modes[2, b, p]
    image[b, p] = s * s


@wp.kernel
def peak_error(image: wp.array2d(dtype=float), set_point: wp.array(dtype=float), mean_error: wp.array(dtype=float)):
    b, lane = wp.tid()
    row = wp.tile_load(image[b], shape=32)
    top = wp.tile_max(row)
    miss = top - wp.tile_load(set_point, shape=1, offset=b)
    wp.tile_atomic_add(mean_error, wp.tile_map(wp.mul, miss, miss), offset=0)


@wp.kernel
def effort(drive: wp.array(dtype=float), loss: wp.array(dtype=float)):
    k = wp.tid()
    wp.atomic_add(loss, 0, 0.1 * drive[k] * drive[k])


drive = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    image = wp.zeros((BEAMS, PIXELS), dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(expose, dim=(BEAMS, PIXELS), inputs=[modes, drive], outputs=[image])
        wp.launch_tiled(peak_error, dim=BEAMS, inputs=[image, set_point], outputs=[loss], block_dim=32)
        wp.launch(effort, dim=3, inputs=[drive], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    drive.assign(drive.numpy() - 0.01 * drive.grad.numpy())
    tape.zero()
    print(it, "loss", losses[-1])
