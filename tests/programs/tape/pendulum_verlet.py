"""Find the two gravity-like constants of a driven pendulum pair from its final angles."""
import argparse

import numpy as np
import warp as wp

START = [4.0, 1.2]
STEPS = 24
DT = 0.08


@wp.kernel
def verlet(prev: wp.array(dtype=float), cur: wp.array(dtype=float), k: wp.array(dtype=float), dt: float,
           nxt: wp.array(dtype=float)):
    i = wp.tid()
    other = cur[1 - i]
    acc = -k[0] * wp.sin(cur[i]) + k[1] * wp.sin(other - cur[i])
    nxt[i] = 2.0 * cur[i] - prev[i] + dt * dt * acc


@wp.kernel
def angle_error(cur: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = cur[i] - seen[i]
    wp.atomic_add(loss, 0, d * d)


def simulate(k, seen, loss):
    prev = wp.array([1.2, -0.4], dtype=float, requires_grad=True)
    cur = wp.array([1.2, -0.4], dtype=float, requires_grad=True)
    nxt = wp.zeros(2, dtype=float, requires_grad=True)
    for _ in range(STEPS):
        wp.launch(verlet, dim=2, inputs=[prev, cur, k, DT], outputs=[nxt])
        wp.copy(prev, cur)
        wp.copy(cur, nxt)
    wp.launch(angle_error, dim=2, inputs=[cur, seen], outputs=[loss])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--rate", type=float, default=0.4)
    args = parser.parse_args()

    k = wp.array(START, dtype=float, requires_grad=True)
    seen = wp.array([-0.55, 0.30], dtype=float)
    for it in range(args.iterations):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            simulate(k, seen, loss)
        tape.backward(loss)
        grad = k.grad.numpy().copy()
        tape.zero()
        print(f"iteration {it}: loss {float(loss.numpy()[0]):.6f} k {k.numpy()}")
        k.assign(np.maximum(k.numpy() - args.rate * grad, 0.1))


if __name__ == "__main__":
    main()
