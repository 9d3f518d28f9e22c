"""The one yardstick of all facts: the tape's gradient against central differences of the same small program."""

from collections.abc import Callable

import numpy as np
import warp as wp

Forward = Callable[[wp.array], wp.array]

STEP = 1.0e-2
TOLERANCE_REL = 1.0e-2


def tape_gradient(forward: Forward, start: list[float]) -> np.ndarray:
    """d(loss)/d(x) at `start` by one taped run; same shape as `start`."""
    x = wp.array(start, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = forward(x)
    tape.backward(loss)
    return x.grad.numpy().copy()


def measured_gradient(forward: Forward, start: list[float]) -> np.ndarray:
    """The same by central differences, one element at a time."""
    base = np.array(start, dtype=np.float32)
    gradient = np.zeros(len(start))
    for i in range(len(start)):
        plus, minus = base.copy(), base.copy()
        plus[i] += STEP
        minus[i] -= STEP
        rise = _value(forward, plus) - _value(forward, minus)
        gradient[i] = rise / (float(plus[i]) - float(minus[i]))
    return gradient


def gradient_is_right(forward: Forward, start: list[float]) -> bool:
    """Whether the two agree within 1 % of the largest entry. Raises ValueError where there is nothing to see."""
    measured = measured_gradient(forward, start)
    scale = float(np.max(np.abs(measured)))
    if not scale > 0.05:
        raise ValueError(f"the loss does not depend on the input (largest derivative {scale:g})")
    return close_to(tape_gradient(forward, start), measured)


def close_to(values: np.ndarray, expected: np.ndarray | list[float]) -> bool:
    """Whether `values` lies within 1 % of the largest entry of `expected`."""
    return bool(np.allclose(values, expected, rtol=0.0, atol=TOLERANCE_REL * float(np.max(np.abs(expected)))))


def scalar() -> wp.array:
    """A fresh loss."""
    return wp.zeros(1, dtype=float, requires_grad=True)


def zeros_like(x: wp.array) -> wp.array:
    """A fresh array of the shape of `x` that takes part in the gradient."""
    return wp.zeros(x.shape, dtype=x.dtype, requires_grad=True)


def _value(forward: Forward, x: np.ndarray) -> float:
    return float(forward(wp.array(x, dtype=float, requires_grad=True)).numpy()[0])
