"""In-place arithmetic on global arrays, and functions that return a struct."""

import warp as wp

from facts.judging import gradient_is_right, scalar, zeros_like


@wp.struct
class Pair:
    first: float
    second: float


@wp.func
def make_pair(a: float, b: float):
    pair = Pair()
    pair.first = a * a
    pair.second = a * b
    return pair


@wp.kernel
def use_pair(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    pair = make_pair(x[0], x[1])
    loss[0] = pair.first * pair.second


@wp.kernel
def fill_with_x(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 1.0 + 0.5 * x[i]


@wp.kernel
def add_in_place(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] += x[i] * x[i]
    y[i] -= 0.5 * x[i]
    wp.atomic_add(y, i, x[i] * x[i])


@wp.kernel
def reassign_sum(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = y[i] + x[i] * x[i]


@wp.kernel
def multiply_in_place(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] *= x[i] * x[i]


@wp.kernel
def divide_in_place(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] /= x[i]


@wp.kernel
def write_after_read(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    value = y[i]
    y[i] = value * value * x[i]


@wp.kernel
def sum_squares(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[i] * y[i])


def _in_place(kernel) -> bool:
    def forward(x):
        y, loss = zeros_like(x), scalar()
        wp.launch(fill_with_x, dim=2, inputs=[x], outputs=[y])
        wp.launch(kernel, dim=2, inputs=[x], outputs=[y])
        wp.launch(sum_squares, dim=2, inputs=[y], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.8, 1.2])


def function_returning_struct() -> bool:
    def forward(x):
        loss = scalar()
        wp.launch(use_pair, dim=1, inputs=[x], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.8, 1.2])


def in_place_add() -> bool:
    return _in_place(add_in_place)


def in_place_sum_spelled_out() -> bool:
    return _in_place(reassign_sum)


def in_place_multiply() -> bool:
    return _in_place(multiply_in_place)


def in_place_divide() -> bool:
    return _in_place(divide_in_place)


def in_place_write_after_read() -> bool:
    return _in_place(write_after_read)
