"""Tune heater, vent and shade of a greenhouse."""
import argparse

import warp as wp
from climate import Greenhouse
from warp.optim import SGD

START = [0.3, 0.5, 0.2]
REFRESH = 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=20)
    options = parser.parse_args()
    house = Greenhouse()
    knobs = wp.array(START, dtype=float, requires_grad=True)
    optimizer = SGD([knobs], lr=0.01)
    for it in range(options.iterations):
        tape = wp.Tape()
        with tape:
            loss = house.loss(knobs)
        if it % REFRESH == 0:
            knobs.grad.zero_()
            tape.backward(loss)
        optimizer.step([knobs.grad])
        print(f"iteration {it:2d} loss {float(loss.numpy()[0]):.6f} knobs {knobs.numpy()}")


if __name__ == "__main__":
    main()
