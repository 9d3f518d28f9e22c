"""Identify resistances of a battery cell from a discharge record, with checkpoints and a timing report."""
import argparse

import numpy as np
import warp as wp

STEPS = 40


@wp.kernel
def cell(
    charge: wp.array(dtype=float), lag: wp.array(dtype=float), p: wp.array(dtype=float),
    current: wp.array(dtype=float), k: int, volt: wp.array(dtype=float),
):
    charge[k + 1] = charge[k] - 0.01 * current[k]
    lag[k + 1] = lag[k] + 0.2 * (current[k] * p[1] - lag[k]) / (0.5 + p[2] * p[2])
    open_circuit = 3.2 + 0.9 * charge[k] + 0.1 * wp.tanh(8.0 * (charge[k] - 0.2))
    volt[k] = open_circuit - current[k] * p[0] - lag[k + 1]


@wp.kernel
def voltage_error(volt: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    k = wp.tid()
    wp.atomic_add(loss, 0, (volt[k] - seen[k]) * (volt[k] - seen[k]))


def discharge(p, current):
    charge = wp.full(STEPS + 1, 0.9, dtype=float, requires_grad=True)
    lag = wp.zeros(STEPS + 1, dtype=float, requires_grad=True)
    volt = wp.zeros(STEPS, dtype=float, requires_grad=True)
    for k in range(STEPS):
        wp.launch(cell, dim=1, inputs=[charge, lag, p, current, k], outputs=[volt])
    return volt


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--checkpoint", default="cell_state.npy")
    args = parser.parse_args()
    current = wp.zeros(STEPS, dtype=float)
    current.fill_(1.0)
    current[15:25].fill_(0.2)
    seen = wp.array(discharge(wp.array([0.12, 0.2, 0.9], dtype=float), current).numpy(), dtype=float)
    p = wp.array([0.2, 0.1, 0.5], dtype=float, requires_grad=True)
    with wp.ScopedTimer("training", print=False) as timer:
        for it in range(args.iterations):
            loss = wp.zeros(1, dtype=float, requires_grad=True)
            tape = wp.Tape()
            with tape:
                volt = discharge(p, current)
                wp.launch(voltage_error, dim=STEPS, inputs=[volt, seen], outputs=[loss])
                lowest = float(volt.numpy().min())
            tape.backward(loss)
            p.assign(p.numpy() - 0.01 * p.grad.numpy())
            tape.zero()
            if it % 10 == 0:
                np.save(args.checkpoint, p.numpy())
                print(f"iteration {it} loss {loss.numpy()[0]:.6f} lowest voltage {lowest:.3f} p {p.numpy()}")
    print("seconds per iteration below one", timer.elapsed / args.iterations < 1000.0)


if __name__ == "__main__":
    main()
