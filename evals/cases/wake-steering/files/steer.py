"""Steer the yaw angles of a row of turbines for the highest total power."""
import argparse

import warp as wp
from layout import make_farm
from wakes import farm_power, negative_sum


def main(turbines, iterations, rate):
    farm = make_farm(turbines, seed=2)
    for it in range(iterations):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            out = farm_power(farm)
            wp.launch(negative_sum, dim=turbines, inputs=[out], outputs=[loss])
        tape.backward(loss)
        farm.yaw.assign(farm.yaw.numpy() - rate * farm.yaw.grad.numpy())
        tape.zero()
        if it % 10 == 0:
            front = out.numpy()[0]
            print(f"iteration {it} loss {loss.numpy()[0]:.5f} front {front:.4f} yaw {farm.yaw.numpy().round(3)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--turbines", type=int, default=6)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--rate", type=float, default=0.05)
    options = parser.parse_args()
    main(options.turbines, options.iterations, options.rate)
