"""Deblend three galaxies; each model image is scaled to unit flux before it is compared."""
import numpy as np
import warp as wp
from warp.optim import Adam

START = [0.5, 0.8, 0.4]
N_ITERS = 40
PIXELS = 24


@wp.kernel
def render(width: wp.array(dtype=float), image: wp.array(dtype=float), flux: wp.array(dtype=float)):
    i = wp.tid()
    x = float(i) / 24.0
    value = float(0.0)
    for g in range(3):
        d = (x - 0.2 - 0.3 * float(g)) / (0.1 * width[g] + 0.02)
        value += wp.exp(-d * d)
    image[i] = value
    wp.atomic_add(flux, 0, value)


@wp.kernel
def compare(image: wp.array(dtype=float), scale: float, ref: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = scale * image[i] - ref[i]
    wp.atomic_add(loss, 0, 24.0 * d * d)


def main():
    x = np.arange(PIXELS) / PIXELS
    widths = np.array([0.9, 0.4, 0.6])
    ref = sum(np.exp(-(((x - 0.2 - 0.3 * g) / (0.1 * widths[g] + 0.02)) ** 2)) for g in range(3))
    ref = wp.array((ref / ref.sum()).astype(np.float32), dtype=float)
    width = wp.array(START, dtype=float, requires_grad=True)
    optimizer = Adam([width], lr=0.03)
    for it in range(N_ITERS):
        image = wp.zeros(PIXELS, dtype=float, requires_grad=True)
        flux = wp.zeros(1, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(render, dim=PIXELS, inputs=[width], outputs=[image, flux])
            scale = 1.0 / float(flux.numpy()[0])
            wp.launch(compare, dim=PIXELS, inputs=[image, scale, ref], outputs=[loss])
        tape.backward(loss)
        optimizer.step([width.grad])
        tape.zero()
        if it % 5 == 0:
            print(f"iter {it} loss {loss.numpy()[0]:.6f} widths {width.numpy()}")


if __name__ == "__main__":
    main()
