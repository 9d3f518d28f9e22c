"""Loops inside one kernel. `n` is an argument, so those loops stay loops in the compiled code."""

import warp as wp

from facts.judging import gradient_is_right, scalar


@wp.kernel
def nested_sum(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    total = float(0.0)
    for i in range(n):
        for j in range(n):
            total += x[i] * x[i] * x[j]
    loss[0] = total


@wp.kernel
def unrolled_recurrence(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    c = float(x[0])
    for i in range(16):
        c = c + 0.1 * x[1] * c * (1.0 - c)
    loss[0] = c


@wp.kernel
def recurrence_above_max_unroll(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    c = float(x[0])
    for i in range(17):
        c = c + 0.1 * x[1] * c * (1.0 - c)
    loss[0] = c


@wp.kernel
def product(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    p = float(1.0)
    for i in range(n):
        p = p * x[i]
    loss[0] = p


@wp.kernel
def recurrence(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    c = float(x[0])
    for i in range(n):
        c = c + 0.3 * x[1] * c * (1.0 - c)
    loss[0] = c


@wp.kernel
def while_sum(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    total = float(0.0)
    k = int(0)
    while k < n:
        total += x[k] * x[k]
        k += 1
    loss[0] = total


@wp.kernel
def sum_with_break(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    total = float(0.0)
    for i in range(n):
        if x[i] > 1.0:
            break
        total += x[i] * x[i]
    loss[0] = total


@wp.kernel
def sum_with_continue(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    total = float(0.0)
    for i in range(n):
        if x[i] < 0.7:
            continue
        total += x[i] * x[i]
    loss[0] = total


@wp.kernel
def recurrence_with_continue(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    c = float(x[0])
    for i in range(n):
        if i == 0:
            continue
        c = c + x[1] * c * c
    loss[0] = c


@wp.kernel
def running_max(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    m = float(-1.0e6)
    for i in range(n):
        m = wp.max(m, x[i] * x[i])
    loss[0] = m


@wp.kernel
def squared_sum(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    total = float(0.0)
    for i in range(n):
        total += x[i] * x[i]
    loss[0] = total * total


@wp.kernel
def local_array_recurrence(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    memory = wp.zeros(shape=(2,), dtype=float)
    memory[0] = x[0] * x[1]
    memory[1] = memory[0] * x[1]
    loss[0] = memory[1] * memory[0]


def _agrees(kernel, start) -> bool:
    def forward(x):
        loss = scalar()
        wp.launch(kernel, dim=1, inputs=[x, len(start)], outputs=[loss])
        return loss

    return gradient_is_right(forward, start)


def loop_nested_sum() -> bool:
    return _agrees(nested_sum, [0.5, 0.9, 1.2])


def loop_static_up_to_max_unroll() -> bool:
    return _agrees(unrolled_recurrence, [0.3, 1.5])


def loop_static_above_max_unroll() -> bool:
    return _agrees(recurrence_above_max_unroll, [0.3, 1.5])


def loop_product() -> bool:
    return _agrees(product, [0.5, 0.9, 1.2])


def loop_recurrence() -> bool:
    return _agrees(recurrence, [0.3, 1.5, 0.0])


def loop_while_with_counter() -> bool:
    return _agrees(while_sum, [0.5, 0.9, 1.2])


def loop_break_in_a_sum() -> bool:
    return _agrees(sum_with_break, [0.5, 0.9, 1.2])


def loop_continue_in_a_sum() -> bool:
    return _agrees(sum_with_continue, [0.5, 0.9, 1.2])


def loop_continue_in_a_recurrence() -> bool:
    return _agrees(recurrence_with_continue, [0.5, 0.9, 1.2])


def loop_running_max() -> bool:
    return _agrees(running_max, [1.4, 0.9, 1.2])


def loop_sum_used_nonlinearly() -> bool:
    return _agrees(squared_sum, [0.5, 0.9, 1.2])


def kernel_local_array() -> bool:
    return _agrees(local_array_recurrence, [0.8, 1.2])
