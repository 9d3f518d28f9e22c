"""Bend a row of rays with three thin lenses and print how sensitive the spot is to the middle plane."""
import argparse

import numpy as np
import warp as wp

RAYS = 11


@wp.kernel
def through_lens(
    ray: wp.array(dtype=wp.vec2), power: wp.array(dtype=float), index: int, gap: float, out: wp.array(dtype=wp.vec2),
):
    i = wp.tid()
    y = ray[i][0]
    slope = ray[i][1] - power[index] * (y + 0.2 * y * y * y)
    out[i] = wp.vec2(y + gap * slope, slope)


@wp.kernel
def spot_size(ray: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    y = ray[i][0]
    wp.atomic_add(loss, 0, y * y / float(RAYS))


def focus(powers, rays, keep):
    planes = [rays]
    for k in range(3):
        out = wp.empty(RAYS, dtype=wp.vec2, requires_grad=True, retain_grad=keep)
        wp.launch(through_lens, dim=RAYS, inputs=[planes[-1], powers, k, 0.5 + 0.1 * k], outputs=[out])
        planes.append(out)
    return planes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--rate", type=float, default=0.6)
    args = parser.parse_args()
    heights = np.linspace(-0.5, 0.5, RAYS, dtype=np.float32)
    rays = wp.array(np.stack([heights, 0.1 * heights**2], axis=1), dtype=wp.vec2)
    powers = wp.array([0.3, 0.1, 0.5], dtype=float, requires_grad=True)
    for it in range(args.iterations):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            planes = focus(powers, rays, keep=True)
            wp.launch(spot_size, dim=RAYS, inputs=[planes[-1]], outputs=[loss])
        tape.backward(loss)
        sensitivity = np.abs(planes[2].grad.numpy()).sum()
        gradient = powers.grad.numpy().copy()
        powers.assign(powers.numpy() - args.rate * gradient)
        powers.grad.zero_()
        if it % 10 == 0:
            print(f"{it:3d} spot {loss.numpy()[0]:.6f} sensitivity {sensitivity:.4f} powers {powers.numpy()}")


if __name__ == "__main__":
    main()
