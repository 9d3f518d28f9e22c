"""Causes that show only once another is undone, and traces of another that are no causes of their own."""

from __future__ import annotations

import pytest
from driving import Diagnose

KERNELS = """\
import numpy as np
import warp as wp


@wp.kernel
def smooth(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] + 0.2 * (x[(i + 1) % 4] - x[i]) * x[i]


@wp.kernel
def misfit(y: wp.array(dtype=float), gain: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = gain[0] * y[i] * y[i] - 1.0
    wp.atomic_add(loss, 0, d * d)


x = wp.array([0.9, 1.2, 1.0, 0.8], dtype=float, requires_grad=True)
gain = wp.array([0.7], dtype=float, requires_grad=True)
"""

STEP_TOO_EARLY = (
    KERNELS
    + """\
for step in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        states = [x] + [wp.zeros(4, dtype=float, requires_grad=True) for _ in range(5)]
        for t in range(5):
            wp.launch(smooth, dim=4, inputs=[states[t]], outputs=[states[t + 1]])
        wp.launch(misfit, dim=4, inputs=[states[-1], gain], outputs=[loss])
    g, g_gain = x.grad.numpy().copy(), gain.grad.numpy().copy()  # read
    x.grad.zero_()
    gain.grad.zero_()
    x.assign(x.numpy() - 0.05 * g)
    gain.assign(gain.numpy() - 0.05 * g_gain)  # updated
    tape.backward(loss)
"""
)

PREPARED_OFF_THE_TAPE = (
    KERNELS
    + """\
y = wp.zeros(4, dtype=float, requires_grad=True)
for step in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(smooth, dim=4, inputs=[x], outputs=[y])  # off the tape
    with wp.Tape() as tape:
        wp.launch(misfit, dim=4, inputs=[y, gain], outputs=[loss])
    tape.backward(loss)  # never cleared
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    x.grad.zero_()
    gain.assign(gain.numpy() - 0.05 * gain.grad.numpy())
"""
)


def _line(program: str, comment: str) -> int:
    return next(n for n, text in enumerate(program.splitlines(), 1) if text.endswith(f"# {comment}"))


def test_an_update_before_backward_shows_behind_a_gradient_read_too_early(diagnose: Diagnose) -> None:
    report = diagnose(STEP_TOO_EARLY).report
    found = {(f.kind, f.location.line) for f in report.findings if f.location is not None}
    assert found == {
        ("stale-gradient", _line(STEP_TOO_EARLY, "read")),
        ("stale-gradient", _line(STEP_TOO_EARLY, "updated")),
    }
    assert all(f.confidence == "proven" for f in report.findings)
    assert report.not_attributed is None


def test_what_one_cause_leaves_behind_is_no_second_one(diagnose: Diagnose) -> None:
    """The adjoint of `y` piles up only because the launch that would take it over is not on the tape."""
    report = diagnose(PREPARED_OFF_THE_TAPE).report
    found = sorted((f.kind, f.location.line) for f in report.findings if f.location is not None)
    assert found == [
        ("gradient-accumulation", _line(PREPARED_OFF_THE_TAPE, "never cleared")),
        ("severed-chain", _line(PREPARED_OFF_THE_TAPE, "off the tape")),
    ]
    assert report.not_attributed is None
    assert report.summary.endswith("wrong as well: `x`")
    assert "at iteration 1" in next(f.message for f in report.findings if f.kind == "gradient-accumulation")


SUMMED_OFF_THE_TAPE = """\
import warp as wp


@wp.kernel
def squares(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i] - x[i]


@wp.kernel
def penalty(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.1 * x[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(3):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    y = wp.zeros(3, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squares, dim=3, inputs=[x], outputs=[y])
        wp.utils.array_sum(y, out=loss)  # native
        wp.launch(penalty, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.1 * x.grad.numpy())
    tape.zero()
"""


@pytest.mark.parametrize("is_last", [False, True])
def test_a_native_sum_is_named_whatever_follows_it(is_last: bool, diagnose: Diagnose) -> None:
    program = SUMMED_OFF_THE_TAPE
    if is_last:
        program = program.replace("        wp.launch(penalty, dim=3, inputs=[x], outputs=[loss])\n", "")
    report = diagnose(program, "--iterations", "1").report
    found = [(f.kind, f.confidence, f.location.line) for f in report.findings if f.location is not None]
    assert found == [("severed-chain", "proven", _line(program, "native"))]


COUNTED_SLOTS = """\
import warp as wp


@wp.kernel
def observe(x: wp.array(dtype=float), used: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    slot = wp.atomic_add(used, 0, 1)  # slot
    out[slot] = x[i] * x[i]


@wp.kernel
def misfit(out: wp.array(dtype=float), loss: wp.array(dtype=float)):
    d = out[wp.tid()] - 2.0
    wp.atomic_add(loss, 0, d * d)


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(3):
    out = wp.zeros(3, dtype=float, requires_grad=True)
    used = wp.zeros(1, dtype=int)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(observe, dim=3, inputs=[x, used], outputs=[out])
        wp.launch(misfit, dim=3, inputs=[out], outputs=[loss])
    tape.backward(loss)  # never cleared
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
"""


def test_what_only_a_mended_program_would_accumulate_is_found(diagnose: Diagnose) -> None:
    """The gradient is zero until the slots are right: nothing piles up before that."""
    report = diagnose(COUNTED_SLOTS).report
    found = {(f.kind, f.location.line) for f in report.findings if f.location is not None}
    assert found == {
        ("replay-side-effect", _line(COUNTED_SLOTS, "slot")),
        ("gradient-accumulation", _line(COUNTED_SLOTS, "never cleared")),
    }
