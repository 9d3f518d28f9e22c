"""The parts of remarks that need no program: reading sources, finding blocks, judging numbers."""

from __future__ import annotations

import ast
import math
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
from harness.kinds.repeated_block import Block, longest_block
from harness.kinds.step_size import Update
from harness.kinds.stochastic_forward import unseeded_line
from harness.kinds.unconverged_solver import Convergence
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
    block = longest_block(steps)
    assert block is not None
    assert len(block.passes) == 6
    assert block.links == [(6, 2, 6, 0)]


def test_passes_in_place_need_no_link() -> None:
    block = longest_block([launch(k, "sweep", ["h", "p"], ["h"]) for k in range(5)])
    assert block is not None
    assert block.links == []


def test_two_launches_that_alternate_are_one_pass() -> None:
    steps = [launch(k, name, ["h"], ["h"]) for k, name in enumerate(["red", "black"] * 5)]
    block = longest_block(steps)
    assert block is not None
    assert [len(p) for p in block.passes] == [2] * 5


def test_too_few_passes_or_work_off_the_tape_are_no_block() -> None:
    assert longest_block([launch(k, "sweep", ["h"], ["h"]) for k in range(3)]) is None
    steps = [launch(k, "sweep", ["h"], ["h"]) for k in range(6)]
    for step in steps[::2]:
        step.event.tape = None
    assert longest_block(steps) is None


def sweeps(count: int = 6, **info: Any) -> list[Step]:
    """Sweeps from h0 over fresh arrays, then the loss."""
    steps = [launch(k, "sweep", [f"h{k}", "p"], [f"h{k + 1}"]) for k in range(count)]
    for step in steps:
        step.event.info.update(info)
    return [*steps, launch(count, "loss", [f"h{count}"], ["loss"])]


def block_of(steps: list[Step]) -> Block:
    block = longest_block(steps)
    assert block is not None
    return block


def is_watched(steps: list[Step]) -> bool:
    return block_of(steps).is_watched([s.event for s in steps], until=10**9)


def test_the_state_is_what_the_last_pass_reads_of_the_one_before() -> None:
    (carried,) = block_of(sweeps()).state
    assert (carried.read, carried.source.buffer, carried.result.buffer) == ((5, 0), "h5", "h6")


def test_an_array_renewed_in_each_pass_is_no_state() -> None:
    steps = []
    for k in range(5):
        steps += [launch(2 * k, "residual", ["h"], ["r"]), launch(2 * k + 1, "update", ["h", "r"], ["h"])]
    assert [c.source.buffer for c in block_of(steps).state] == ["h"]


def test_passes_with_other_numbers_or_other_data_are_not_one_map() -> None:
    assert block_of(sweeps(scalars={"omega": 0.7})).is_one_map()
    steps = sweeps(scalars={"t": 0.0})
    steps[3].event.info["scalars"] = {"t": 0.3}
    assert not block_of(steps).is_one_map()
    steps = sweeps()
    steps[4].event.touches[1].offset = 64  # another row of the forcing
    assert not block_of(steps).is_one_map()


def test_a_first_state_that_depends_on_the_parameter_is_an_initial_condition() -> None:
    steps = sweeps()
    assert not block_of(steps).starts_from_parameter()
    steps[0].sources = [steps[0].event.touches[0]]
    assert block_of(steps).starts_from_parameter()


def test_states_that_something_else_reads_are_watched() -> None:
    assert not is_watched(sweeps())
    steps = sweeps()
    steps[6].event.touches[0].buffer = "h3"
    assert is_watched(steps)


def test_a_sum_over_the_passes_is_watched_unless_it_is_cleared_or_is_the_state() -> None:
    def summed(target: str, *reads: str) -> list[Step]:
        steps = [launch(2 * k, "move", ["h", *reads], ["h"]) for k in range(5)]
        for step in steps:
            step.event.touches.append(Touch(target, "sum", False, True, accumulates=True))
        return steps

    assert is_watched(summed("energy"))
    assert not is_watched(summed("energy", "energy"))
    cleared = []
    for step in summed("energy"):
        clear = Event(step.event.seq - 1, "fill", "zero_", 0, 0, [Touch("energy", "array", False, True)])
        cleared += [clear, step.event]
    assert not block_of(summed("energy")).is_watched(cleared, until=10**9)


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
