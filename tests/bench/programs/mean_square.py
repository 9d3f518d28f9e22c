"""Pull N numbers to their targets: ``mean_square.py N [zeroed]``. With `zeroed` the adjoint of the square is zero."""

import sys

import numpy as np
import warp as wp

N = int(sys.argv[1])
IS_ZEROED = "zeroed" in sys.argv[2:]


@wp.func
def squared(e: float):
    return e * e


@wp.func
def squared_without_adjoint(e: float):
    return e * e


@wp.func_grad(squared_without_adjoint)
def adj_squared_without_adjoint(e: float, adj_ret: float):
    wp.adjoint[e] += 0.0 * adj_ret


@wp.kernel
def mean_square(x: wp.array(dtype=float), target: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, squared(x[i] - target[i]) / float(x.shape[0]))


@wp.kernel
def mean_square_zeroed(x: wp.array(dtype=float), target: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, squared_without_adjoint(x[i] - target[i]) / float(x.shape[0]))


def contents(n):
    random = np.random.default_rng(7)
    return random.normal(1.0, 0.5, n).astype(np.float32), random.normal(0.0, 0.5, n).astype(np.float32)


def main():
    start, goal = contents(N)
    kernel = mean_square_zeroed if IS_ZEROED else mean_square
    x = wp.array(start, dtype=float, requires_grad=True)
    target = wp.array(goal, dtype=float)
    for _ in range(3):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(kernel, dim=N, inputs=[x, target], outputs=[loss])
        tape.backward(loss)
        x.assign(x.numpy() - 0.1 * N * x.grad.numpy())
        tape.zero()


if __name__ == "__main__":
    main()
