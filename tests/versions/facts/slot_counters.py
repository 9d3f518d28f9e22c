"""Counters taken with an atomic: what the replay inside the adjoint kernel does with them.

Used directly in a kernel, the atomic is left out of the replay and its result is never set there: a program that
indexes with it reads a place nobody chose. These facts therefore count, and index only where the slot is defined.
"""

import warp as wp

from facts.judging import close_to


@wp.func
def take(count: wp.array(dtype=int)):
    return wp.atomic_add(count, 0, 1)


@wp.kernel
def take_in_kernel(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(count, 0, 1)
    out[i] = x[i] * x[i]


@wp.kernel
def take_in_function(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    slot = take(count)
    out[slot] = x[i] * x[i]


def _backward(kernel):
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    count, out = wp.zeros(1, dtype=int), wp.zeros(8, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=2, inputs=[x, count], outputs=[out])
    before = int(count.numpy()[0])
    tape.backward(grads={out: wp.array([1.0, 1.0, 10.0, 10.0, 0.0, 0.0, 0.0, 0.0], dtype=float)})
    return before, int(count.numpy()[0]), x.grad.numpy().copy()


def counter_in_kernel_is_not_taken_again() -> bool:
    before, after, gradient = _backward(take_in_kernel)
    return before == after == 2 and close_to(gradient, [2.0, 4.0])


def counter_in_function_is_taken_again() -> bool:
    """The second taking hands out slots 2 and 3, so the adjoints are read from there."""
    before, after, gradient = _backward(take_in_function)
    return before == 2 and after == 4 and close_to(gradient, [20.0, 40.0])
