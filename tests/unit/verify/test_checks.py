"""What each check says of two measured programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.execute.session import Target
from harness.schema import Check, Cost, Environment, Parameter, ProgramInfo, Report, Tool
from harness.schema.vocabulary import CheckVerdict, ParameterVerdict, ReportVerdict
from harness.verify.elsewhere import Start
from harness.verify.forward import Forward
from harness.verify.gradients import right_after, right_elsewhere, same_parameters, wrong_before
from harness.verify.measured import Measured, Other
from harness.verify.metric import metric_better, same_effort
from harness.verify.programs import Program
from harness.verify.unchanged import forward_unchanged
from harness.verify.whole_run import WholeRun

_CHECKS: dict[ReportVerdict, tuple[ParameterVerdict, CheckVerdict]] = {
    "wrong": ("wrong", "disagrees"),
    "correct": ("correct", "agrees"),
    "undecided": ("undecided", "undecided"),
}


def report(verdict: ReportVerdict, iterations: int = 3, spots: tuple[str, ...] = ()) -> Report:
    parameters = []
    if verdict != "blocked":
        of_parameter, of_check = _CHECKS[verdict]
        check = Check(iteration=0, objective="loss", oracle="global", autodiff=1.0, measured=2.0, verdict=of_check)
        parameters = [Parameter(name="gain", dtype="float32", verdict=of_parameter, checks=[check])]
    return Report(
        tool=Tool(version="0"), verdict=verdict, summary=f"is {verdict}", parameters=parameters, blind_spots=spots,
        environment=Environment(python="3", platform="linux"), cost=Cost(seconds=0.0, executions=1),
        program=ProgramInfo(script="a.py", iterations_observed=iterations),
    )  # fmt: skip


def measured(verdict: ReportVerdict = "correct", value: float = 2.0, **more: object) -> Measured:
    program = Program("a.py", Path("/nowhere/a.py"), Target("a.py", None, (), "/nowhere"))
    starts = [Start("gain", "a.py:3#0", 4, "float32", np.array([1.0, 2.0], dtype=np.float32), 0.1)]
    forward = Forward({"objective": value}, {"objective": 1e-6})
    return replace(Measured(program, report(verdict), None, starts, forward), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "elsewhere", "outcome"),
    [
        ("wrong", None, "passed"),
        ("correct", "correct", "failed"),
        ("correct", "wrong", "passed"),
        ("undecided", "undecided", "undecided"),
        ("undecided", "wrong", "passed"),
        ("blocked", None, "undecided"),
    ],
)
def test_a_gradient_is_wrong_before(verdict: ReportVerdict, elsewhere: ReportVerdict | None, outcome: str) -> None:
    others = [Other(None, report(elsewhere))] if elsewhere else []
    assert wrong_before(measured(verdict, others=others)).outcome == outcome


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [("correct", "passed"), ("wrong", "failed"), ("undecided", "undecided"), ("blocked", "failed")],
)
def test_a_gradient_is_right_after(verdict: ReportVerdict, outcome: str) -> None:
    assert right_after(measured("wrong"), measured(verdict)).outcome == outcome


def test_a_parameter_that_no_longer_matters_is_not_mended() -> None:
    found = report("correct")
    idle = replace_parameters(found, [found.parameters[0].model_copy(update={"verdict": "independent"})])
    check = right_after(measured("wrong"), measured(report=idle))
    assert (check.outcome, "no longer reacts to `gain`" in check.message) == ("failed", True)


def replace_parameters(found: Report, parameters: list[Parameter]) -> Report:
    return found.model_copy(update={"parameters": tuple(parameters)})


def test_a_run_without_a_second_update_hides_what_accumulates() -> None:
    short = measured(report=report("correct", iterations=1))
    assert right_after(measured("wrong"), short).outcome == "failed"
    once = measured(report=report("wrong", iterations=1))
    assert right_after(once, short).outcome == "passed"


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        (["correct", "correct"], "passed"),
        (["correct", "blocked"], "passed"),
        (["correct", "wrong"], "failed"),
        (["undecided", "blocked"], "undecided"),
        ([], "not-applicable"),
    ],
)
def test_a_gradient_is_right_from_other_values(verdicts: list[ReportVerdict], outcome: str) -> None:
    others = [Other(None, report(v)) for v in verdicts]
    assert right_elsewhere(measured(others=others)).outcome == outcome


def test_parameters_are_the_same_and_start_from_the_same_values() -> None:
    start = measured().starts[0]
    moved = replace(start, contents=start.contents + np.float32(0.5))
    other_shape = replace(start, contents=np.zeros(3, dtype=np.float32))
    assert same_parameters(measured(), measured()).outcome == "passed"
    assert same_parameters(measured(), measured(starts=[moved])).outcome == "failed"
    assert "no longer used" in same_parameters(measured(), measured(starts=[other_shape])).message
    assert same_parameters(measured(), measured(starts=[])).outcome == "undecided"
    assert same_parameters(measured(), measured("blocked", starts=[])).outcome == "not-applicable"
    random = measured(starts=[moved], report=report("correct", spots=("The program is random from run to run; ...",)))
    assert same_parameters(measured(), random).outcome == "undecided"


@pytest.mark.parametrize(
    ("value", "allowed", "outcome"),
    [
        (2.0, False, "passed"),
        (2.0000005, False, "passed"),
        (2.0002, False, "passed"),
        (2.02, False, "failed"),
        (2.02, True, "passed"),
        (1.0, False, "failed"),
        (float("nan"), False, "failed"),
    ],
)
def test_forward_values_stay_the_same_to_roundoff(value: float, allowed: bool, outcome: str) -> None:
    check = forward_unchanged(measured(), measured(value=value), allowed)
    assert check.outcome == outcome
    assert value in (2.0, 2.0000005) or "instead of 2" in check.message


def test_a_loss_that_is_the_same_only_as_written_is_another_loss() -> None:
    before, after = measured(others=[Other(3.0, None)]), measured(others=[Other(2.0, None)])
    check = forward_unchanged(before, after, False)
    assert (check.outcome, "from other values 1" in check.message) == ("failed", True)


def test_with_manual_seeds_outputs_are_compared_and_else_scalars_of_one_name() -> None:
    outputs = measured(
        forward=Forward({"output 1 (4)": 1.5, "scalar cost": 2.0}, {"output 1 (4)": 0.0, "scalar cost": 0.0})
    )
    scaled = measured(forward=Forward({"output 1 (4)": 3.0}, {"output 1 (4)": 0.0}))
    only = measured(forward=Forward({"objective": 9.0, "scalar cost": 2.0}, {"objective": 0.0, "scalar cost": 0.0}))
    nothing = measured(forward=Forward({"objective": 9.0}, {"objective": 0.0}))
    assert forward_unchanged(outputs, outputs, False).outcome == "passed"
    assert forward_unchanged(outputs, scaled, False).outcome == "failed"
    assert forward_unchanged(outputs, only, False).outcome == "passed"
    assert forward_unchanged(outputs, nothing, False).outcome == "undecided"


def whole(status: str, output: str) -> WholeRun:
    return WholeRun(status, "ValueError: no" if status == "error" else "", output, (), 9.0)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (("completed", "loss 2"), ("completed", "loss 1"), "passed"),
        (("completed", "loss 2"), ("completed", "loss 2"), "failed"),
        (("completed", "loss 2"), ("completed", "done"), "failed"),
        (("completed", "loss 2"), ("error", "loss 1"), "failed"),
        (("completed", "loss 2"), ("timeout", "loss 1"), "undecided"),
        (("timeout", "loss 2"), ("completed", "loss 1"), "undecided"),
        (("completed", "done"), ("completed", "done"), "undecided"),
        (("error", "loss nan"), ("exit", "loss 1"), "passed"),
    ],
)
def test_the_metric_of_two_runs_is_compared(before: tuple[str, str], after: tuple[str, str], outcome: str) -> None:
    old, new = measured(whole=whole(*before)), measured(whole=whole(*after))
    assert metric_better(old, new, "loss {}", False).outcome == outcome
    assert metric_better(measured(), new, "loss {}", False).outcome == "not-applicable"


@pytest.mark.parametrize(
    ("new", "verdict", "is_hinted"),
    [("1.994", "correct", True), ("1.97", "correct", False), ("1.994", "wrong", False), ("2", "correct", False)],
)
def test_a_number_that_hardly_moves_beside_a_mended_gradient_is_not_just_better(
    new: str, verdict: ReportVerdict, is_hinted: bool
) -> None:
    old = measured("wrong", whole=whole("completed", "loss 2"))
    check = metric_better(old, measured(verdict, whole=whole("completed", f"loss {new}")), "loss {}", False)
    assert ("1.99400 after. That is a change of 0.3 % only" in check.message) is is_hinted
    assert ("more updates" in check.message) is is_hinted


def test_updates_that_are_not_known_are_not_compared() -> None:
    assert same_effort(measured(), measured(), False).outcome == "not-applicable"
