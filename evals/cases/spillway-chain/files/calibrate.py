"""Calibrate three spillway coefficients against gauge levels."""
import argparse

import kernels
import warp as wp
from basin import Basin
from warp.optim import SGD

START = [0.4, 0.7, 0.3]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iters", type=int, default=30)
    args = parser.parse_args(argv)
    valve = wp.array(START, dtype=float, requires_grad=True)
    gauge = wp.array([1.2, 1.1, 1.3, 1.6], dtype=float)
    basin = Basin(valve)
    optimizer = SGD([valve], lr=0.02)
    for it in range(args.iters):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            level = basin.simulate()
            wp.launch(kernels.gauge_error, dim=4, inputs=[level, gauge], outputs=[loss])
        tape.backward(loss)
        optimizer.step([valve.grad])
        tape.zero()
        print(f"iter {it:2d} loss {loss.numpy()[0]:.6f} valves {valve.numpy()}")


if __name__ == "__main__":
    main()
