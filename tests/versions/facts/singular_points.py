"""Adjoints at the points where a derivative is infinite, and the second operand of a remainder."""

import numpy as np
import warp as wp

from facts.judging import gradient_is_right, scalar


@wp.kernel
def use_sqrt(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = wp.sqrt(x[0] * x[0])


@wp.kernel
def use_length(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = wp.length(wp.vec2(x[0], x[0]))


@wp.kernel
def use_normalize(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = wp.normalize(wp.vec2(x[0], x[0]))[0]


@wp.kernel
def use_acos_asin(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = wp.acos(x[0]) + 2.0 * wp.asin(x[0])


@wp.kernel
def use_remainder(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = wp.mod(x[0], x[1])


def _is_finite(kernel, value: float) -> bool:
    x, loss = wp.array([value], dtype=float, requires_grad=True), scalar()
    with wp.Tape() as tape:
        wp.launch(kernel, dim=1, inputs=[x], outputs=[loss])
    tape.backward(loss)
    return bool(np.isfinite(x.grad.numpy()).all())


def sqrt_at_zero_is_guarded() -> bool:
    return _is_finite(use_sqrt, 0.0)


def length_at_zero_is_guarded() -> bool:
    return _is_finite(use_length, 0.0)


def normalize_at_zero_is_guarded() -> bool:
    return _is_finite(use_normalize, 0.0)


def acos_and_asin_at_one_are_guarded() -> bool:
    return _is_finite(use_acos_asin, 1.0) and _is_finite(use_acos_asin, -1.0)


def remainder_by_a_parameter() -> bool:
    def forward(x):
        loss = scalar()
        wp.launch(use_remainder, dim=1, inputs=[x], outputs=[loss])
        return loss

    return gradient_is_right(forward, [7.3, 2.0])
