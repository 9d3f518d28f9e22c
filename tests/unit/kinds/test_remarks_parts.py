"""The parts of remarks that need no program: reading sources, finding blocks, judging numbers."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.assess.flow import Step
from harness.kinds.chaotic_forward import Growth
from harness.kinds.nonsmooth_point import _corner
from harness.kinds.piecewise_constant import _rounding
from harness.kinds.step_size import Update
from harness.kinds.stochastic_forward import unseeded_line
from harness.kinds.unconverged_solver import Convergence, _block, _loop_line
from harness.record.events import Event, Touch


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


# --- where random numbers come from -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nrng = np.random.default_rng()\n", 2),
        ("rng = np.random.default_rng(3)\n", None),
        ("rng = np.random.default_rng(seed=3)\n", None),
        ("x = np.random.normal(size=3)\n", 1),
        ("np.random.seed(1)\nx = np.random.normal(size=3)\n", None),
        ("rng = np.random.default_rng(4)\nx = rng.normal(size=3)\n", None),
        ("seed = 1\nrng = np.random.default_rng(int(time.time()))\n", 2),
        ("torch.manual_seed(0)\nx = torch.randn(3)\n", None),
        ("x = torch.randn(3)\n", 1),
        ("def broken(:\n", None),
    ],
)
def test_a_generator_without_a_seed_is_found(text: str, line: int | None) -> None:
    assert unseeded_line(lines(text)) == line


# --- expressions in kernels -------------------------------------------------------------------------------------------
def named(visitor: Any, text: str) -> list[str]:
    return [n for n in (visitor(node) for node in ast.walk(ast.parse(text))) if n is not None]


def test_rounding_of_a_value_counts_and_of_an_index_or_a_constant_does_not() -> None:
    assert named(_rounding, "cell = int(pos[w])") == ["int"]
    assert named(_rounding, "a = wp.floor(x) + wp.int32(y)") == ["floor", "int32"]
    assert named(_rounding, "i = int(wp.tid())\nk = int(0)\ns = float(n)") == []


def test_corners_are_branches_and_functions_with_a_bend() -> None:
    assert named(_corner, "a = wp.abs(x)\nb = wp.max(x, 0.0)\nc = wp.exp(x)") == ["abs", "max"]
    assert named(_corner, "y = 1.0 if x > 0.0 else 2.0") == ["if"]


# --- blocks of a loop -------------------------------------------------------------------------------------------------
def launch(seq: int, name: str, reads: list[str], writes: list[str]) -> Step:
    touches = [Touch(b, f"in{i}", True, False) for i, b in enumerate(reads)]
    touches += [Touch(b, f"out{i}", False, True) for i, b in enumerate(writes)]
    return Step(Event(seq, "launch", name, 0, 0, touches, tape=1))


def test_passes_into_fresh_arrays_are_linked_from_what_the_last_wrote_to_what_it_read() -> None:
    steps = [launch(0, "begin", ["p"], ["h0"])]
    steps += [launch(k + 1, "sweep", [f"h{k}", "p"], [f"h{k + 1}"]) for k in range(6)]
    steps.append(launch(7, "loss", ["h6"], ["loss"]))
    block = _block(steps)
    assert block is not None
    assert len(block.passes) == 6
    assert block.links == [(6, 2, 6, 0)]


def test_passes_in_place_need_no_link() -> None:
    block = _block([launch(k, "sweep", ["h", "p"], ["h"]) for k in range(5)])
    assert block is not None
    assert block.links == []


def test_two_launches_that_alternate_are_one_pass() -> None:
    steps = [launch(k, name, ["h"], ["h"]) for k, name in enumerate(["red", "black"] * 5)]
    block = _block(steps)
    assert block is not None
    assert [len(p) for p in block.passes] == [2] * 5


def test_too_few_passes_or_work_off_the_tape_are_no_block() -> None:
    assert _block([launch(k, "sweep", ["h"], ["h"]) for k in range(3)]) is None
    steps = [launch(k, "sweep", ["h"], ["h"]) for k in range(6)]
    for step in steps[::2]:
        step.event.tape = None
    assert _block(steps) is None


def test_the_loop_around_a_line_is_the_innermost(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("for it in range(3):\n    for _ in range(SWEEPS):\n        work()\n    other()\n")
    assert "SWEEPS" in _loop_line(str(file), 3)
    assert "range(3)" in _loop_line(str(file), 4)


@given(rate=st.floats(0.01, 0.999), residual=st.floats(1e-6, 1.0))
def test_what_remains_is_the_sum_of_all_later_changes(rate: float, residual: float) -> None:
    convergence = Convergence(residual, rate)
    later = residual * sum(rate**k for k in range(1, 30_000))
    assert convergence.remaining == pytest.approx(later, rel=1e-6)
    assert convergence.passes_left == 4000 or rate**convergence.passes_left <= 1e-4 * (1.0 + 1e-9)


# --- growth and steps -------------------------------------------------------------------------------------------------
@given(factor=st.floats(1.01, 5.0))
def test_rounding_has_grown_to_one_at_the_horizon(factor: float) -> None:
    growth = Growth([0], [1e-7], factor)
    assert 2.0**-24 * factor**growth.horizon == pytest.approx(1.0, rel=1e-6)


def update(gradient: list[float], change: list[float]) -> Update:
    judged: Any = SimpleNamespace(consumption=SimpleNamespace(gradient=np.array(gradient)))
    return Update(0, [judged], [np.array(change)])


@given(rate=st.floats(1e-6, 1e3))
def test_the_rate_of_plain_descent_is_recovered(rate: float) -> None:
    found = update([1.0, -2.0, 0.5], [-rate, 2.0 * rate, -0.5 * rate])
    assert found.rate == pytest.approx(rate, rel=1e-9)
    assert found.slope == pytest.approx(-5.25 * rate)


def test_an_update_that_is_no_multiple_of_the_gradient_has_no_rate() -> None:
    assert update([1.0, 2.0], [-1.0, -1.0]).rate is None
    assert update([1.0, 2.0], [1.0, 2.0]).rate is None
    assert math.isclose(update([1.0, 2.0], [1.0, 2.0]).slope, 5.0)
