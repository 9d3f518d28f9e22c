"""Small functions of parameter arrays, right and wrong ones, for the scripts that templates make."""
import numpy as np
import warp as wp

START = [0.5, 1.0, 1.5]


@wp.kernel
def cubes(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * x[i])


@wp.kernel
def cubes_in_a_loop(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    i = wp.tid()
    p = float(1.0)
    for k in range(n):
        p = p * x[i]
    wp.atomic_add(loss, 0, p)


@wp.kernel
def bend(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] + 0.1 * wp.sin(3.0 * x[i])


def right(x):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(cubes, dim=x.size, inputs=[x], outputs=[loss])
    return loss


def wrong(x):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(cubes_in_a_loop, dim=x.size, inputs=[x, 3], outputs=[loss])
    return loss


def as_number(x):
    return float(right(x).numpy()[0])


def gradient(x):
    return 3.0 * x.numpy() ** 2


def doubled_gradient(x):
    return 6.0 * x.numpy() ** 2


def nothing(x):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    return loss


def broken(x):
    raise KeyError("stiffness")


def not_a_number(x):
    return float("nan")


def rollout(x, steps):
    """Two buffers in turn: right as long as no array is written twice."""
    buffers = [wp.zeros_like(x), wp.zeros_like(x)]
    for k in range(steps):
        wp.launch(bend, dim=x.size, inputs=[x], outputs=[buffers[k % 2]])
        x = buffers[k % 2]
    return right(x)


def sound_rollout(x, steps):
    for _ in range(steps):
        y = wp.zeros_like(x)
        wp.launch(bend, dim=x.size, inputs=[x], outputs=[y])
        x = y
    return right(x)


def two_buffers(x):
    return rollout(x, 6)


def louder(x):
    loss = right(x)
    wp.launch(cubes, dim=x.size, inputs=[x], outputs=[loss])
    return loss


def float64_cubes(x):
    return float((x**3).sum())


def other_cubes(x):
    return 1.1 * float((x**3).sum())


@wp.func
def squash(x: float, scale: float):
    return scale * x / (1.0 + wp.abs(x))


@wp.func_grad(squash)
def adj_squash(x: float, scale: float, adj_ret: float):
    wp.adjoint[x] += adj_ret * scale / ((1.0 + wp.abs(x)) * (1.0 + wp.abs(x)))
    wp.adjoint[scale] += adj_ret * x / (1.0 + wp.abs(x))


@wp.func
def crush(x: float):
    return x / (1.0 + wp.abs(x))


@wp.func_grad(crush)
def adj_crush(x: float, adj_ret: float):
    wp.adjoint[x] += adj_ret / (1.0 + wp.abs(x))


@wp.func
def quantise(x: float):
    return wp.round(x * 4.0) / 4.0


@wp.func_grad(quantise)
def adj_quantise(x: float, adj_ret: float):
    wp.adjoint[x] += adj_ret


@wp.kernel
def crushed(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, crush(x[i]) * x[i])


def with_crush(x):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(crushed, dim=x.size, inputs=[x], outputs=[loss])
    return loss


@wp.kernel
def drive(s: wp.array(dtype=float), p: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = s[i] + 0.1 * wp.sin(p[0] * s[i]) + 0.02 * p[1]


def step(state, parameters, number):
    out = wp.zeros_like(state[0])
    wp.launch(drive, dim=out.size, inputs=[state[0], parameters[0]], outputs=[out])
    return [out]


BUFFERS = {}


def reusing_step(state, parameters, number):
    if number % 2 not in BUFFERS:
        BUFFERS[number % 2] = wp.zeros_like(state[0])
    out = BUFFERS[number % 2]
    wp.launch(drive, dim=out.size, inputs=[state[0], parameters[0]], outputs=[out])
    return [out]


def final_loss(state, parameters):
    return right(state[0])
