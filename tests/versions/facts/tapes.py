"""What the tape does with stores, seeds, zeroing, re-entry and work it cannot see."""

import numpy as np
import warp as wp

from facts.judging import close_to, gradient_is_right, scalar, zeros_like


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def square_indexed(x: wp.indexedarray(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def add_square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(y, i, x[i] * x[i])


@wp.kernel
def total(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[i])


def _x() -> wp.array:
    return wp.array([1.0, 2.0], dtype=float, requires_grad=True)


def _square_and_sum(x, y, loss, tape, duplicate=False) -> None:
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
        if duplicate:
            wp.launch(square, dim=2, inputs=[x], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])


def store_consumes_output_gradient() -> bool:
    x = _x()
    y, loss, tape = zeros_like(x), scalar(), wp.Tape()
    _square_and_sum(x, y, loss, tape)
    tape.backward(loss)
    return close_to(x.grad.numpy(), [2.0, 4.0]) and not y.grad.numpy().any()


def duplicate_launch_is_inert() -> bool:
    x = _x()
    y, loss, tape = zeros_like(x), scalar(), wp.Tape()
    _square_and_sum(x, y, loss, tape, duplicate=True)
    tape.backward(loss)
    return close_to(x.grad.numpy(), [2.0, 4.0])


def retained_gradient_counts_twice() -> bool:
    x = _x()
    y, loss, tape = zeros_like(x), scalar(), wp.Tape()
    _square_and_sum(x, y, loss, tape, duplicate=True)
    y.retain_grad = True
    tape.backward(loss)
    return close_to(x.grad.numpy(), [4.0, 8.0])


def seed_that_becomes_the_gradient_is_consumed() -> bool:
    """`backward(grads={y: seed})` spends `seed` where `y` has no gradient of its own: the second pass gives nothing."""
    x, seed = _x(), wp.ones(2, dtype=float)
    y, tape = wp.zeros(2, dtype=float), wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    tape.backward(grads={y: seed})
    first = x.grad.numpy().copy()
    return close_to(first, [2.0, 4.0]) and not seed.numpy().any()


def seed_is_kept_where_the_output_owns_a_gradient() -> bool:
    x, seed = _x(), wp.ones(2, dtype=float)
    y, tape = zeros_like(x), wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    tape.backward(grads={y: seed})
    return close_to(x.grad.numpy(), [2.0, 4.0]) and close_to(seed.numpy(), [1.0, 1.0])


def seed_is_assigned_over_the_gradient_of_the_output() -> bool:
    """`backward(grads={y: seed})` does not add `seed` to what `y.grad` holds from the backward pass of another tape."""
    x = _x()
    y, loss, first, second = zeros_like(x), scalar(), wp.Tape(), wp.Tape()
    with first:
        wp.launch(square, dim=2, inputs=[x], outputs=[y])
    with second:
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])
    second.backward(loss)
    is_held = close_to(y.grad.numpy(), [1.0, 1.0])
    first.backward(grads={y: wp.full(2, 3.0, dtype=float)})
    return is_held and close_to(x.grad.numpy(), [6.0, 12.0])


def gradients_accumulate_over_backward_passes() -> bool:
    x = _x()
    for _ in range(2):
        tape = wp.Tape()
        _square_and_sum(x, zeros_like(x), loss := scalar(), tape)
        tape.backward(loss)
    return close_to(x.grad.numpy(), [4.0, 8.0])


def zero_on_a_fresh_tape_does_nothing() -> bool:
    x = _x()
    for _ in range(2):
        tape = wp.Tape()
        _square_and_sum(x, zeros_like(x), loss := scalar(), tape)
        tape.zero()
        tape.backward(loss)
    return close_to(x.grad.numpy(), [4.0, 8.0])


def zero_after_backward_clears() -> bool:
    x, tape = _x(), wp.Tape()
    _square_and_sum(x, zeros_like(x), loss := scalar(), tape)
    tape.backward(loss)
    tape.zero()
    return not x.grad.numpy().any()


def tape_entered_again_keeps_old_launches() -> bool:
    """With gradients cleared in between, the second epoch still receives the first epoch's launches as well."""
    x, tape = _x(), wp.Tape()
    for _ in range(2):
        y, loss = zeros_like(x), scalar()
        _square_and_sum(x, y, loss, tape)
    return len(tape.launches) == 4


def prebuilt_launch_is_not_recorded() -> bool:
    x, tape = _x(), wp.Tape()
    y, loss = zeros_like(x), scalar()
    prebuilt = wp.launch(square, dim=2, inputs=[x], outputs=[y], record_cmd=True)
    with tape:
        prebuilt.launch()
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])
    tape.backward(loss)
    return len(tape.launches) == 1 and not x.grad.numpy().any()


def array_sum_is_not_recorded() -> bool:
    x, tape = _x(), wp.Tape()
    loss = scalar()
    with tape:
        wp.utils.array_sum(x, out=loss)
    return len(tape.launches) == 0 and close_to(loss.numpy(), [3.0])


def zero_of_an_accumulator_is_not_recorded() -> bool:
    """The first step's sum is thrown away by zero_(), yet its launch receives the adjoint of the second step."""
    x, tape = _x(), wp.Tape()
    y, loss = zeros_like(x), scalar()
    with tape:
        wp.launch(add_square, dim=2, inputs=[x], outputs=[y])
        y.zero_()
        wp.launch(add_square, dim=2, inputs=[x], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])
    tape.backward(loss)
    return close_to(loss.numpy(), [5.0]) and close_to(x.grad.numpy(), [4.0, 8.0])


def backward_reads_current_contents() -> bool:
    """Contents changed after the tape closed: the adjoint is evaluated at the new ones."""
    x, tape = _x(), wp.Tape()
    _square_and_sum(x, zeros_like(x), loss := scalar(), tape)
    x.fill_(5.0)
    tape.backward(loss)
    return close_to(x.grad.numpy(), [10.0, 10.0])


def numpy_of_a_gradient_is_a_view() -> bool:
    x, tape = _x(), wp.Tape()
    _square_and_sum(x, zeros_like(x), loss := scalar(), tape)
    tape.backward(loss)
    gradient = x.grad.numpy()
    seen = gradient.copy()
    tape.zero()
    return close_to(seen, [2.0, 4.0]) and not gradient.any()


def indexed_array_fails_at_backward() -> bool:
    x, tape = _x(), wp.Tape()
    chosen = wp.indexedarray(x, [wp.array([1, 0], dtype=int)])
    y = zeros_like(x)
    try:
        with tape:
            wp.launch(square_indexed, dim=2, inputs=[chosen], outputs=[y])
        tape.backward(grads={y: wp.ones(2, dtype=float)})
    except AttributeError:
        return True
    return False


def map_slice_and_reshape() -> bool:
    def forward(x):
        loss = scalar()
        y = wp.map(wp.mul, x, x)
        tail = y[1:].reshape((1, 2)).flatten()
        wp.launch(total, dim=2, inputs=[tail], outputs=[loss])
        return loss

    return gradient_is_right(forward, [0.5, 0.8, 1.2])


def cpu_capture_defers_all_work() -> bool:
    """Nothing runs while it is captured; each capture_launch runs all of it, backward included, and adds up."""
    x, tape = _x(), wp.Tape()
    y, loss = zeros_like(x), scalar()
    with wp.ScopedCapture() as capture:
        _square_and_sum(x, y, loss, tape)
        tape.backward(loss)
    idle = not x.grad.numpy().any() and loss.numpy()[0] == 0.0
    seeds = []
    for _ in range(2):
        wp.capture_launch(capture.graph)
        seeds.append(x.grad.numpy().copy())
    return idle and close_to(seeds[0], [2.0, 4.0]) and bool(np.all(seeds[1] > seeds[0]))
