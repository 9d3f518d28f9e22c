"""`validate` passes a good case, and each of its checks can fail."""

from __future__ import annotations

from typing import Any

import pytest
from small_case import FAULTY, PROGRAM, REFERENCE, MakeCase

from evals.measure import Bench
from evals.validate import text_checks, validate
from harness.options import UsageError

CONTROL = {"expected": {"verdict": "correct"}}
METRIC = {"pattern": "loss {}", "threshold": 3.0, "better": "higher"}


def failed(bench: Bench, case: Any) -> str:
    return "; ".join(f"{c.name}: {c.detail}" for c in validate(bench, case).checks if not c.passed)


def test_a_good_case_passes_and_its_fault_shows_after_the_first_step(bench: Bench, make_case: MakeCase) -> None:
    result = validate(bench, make_case(metric=METRIC))
    assert result.passed, result
    names = {c.name for c in result.checks}
    assert {"the fault is visible", "the metric is missed without the fix"} <= names


def test_a_control_passes(bench: Bench, make_case: MakeCase) -> None:
    assert validate(bench, make_case(PROGRAM, None, **CONTROL)).passed


@pytest.mark.parametrize(
    ("staged", "mended", "reference", "changes", "expected"),
    [
        (PROGRAM.replace("STEPS = 6", "STEPS = 5"), PROGRAM, REFERENCE, {}, "the fault is visible"),
        (FAULTY, FAULTY.replace("0.02", "0.001"), REFERENCE, {}, "the gradient is right with the fix"),
        (FAULTY, PROGRAM, REFERENCE.replace("** 3", "** 2"), {}, "the gradient is right with the fix"),
        (FAULTY, PROGRAM, REFERENCE.replace("** 3)", "** 3) + 1"), {}, "forward is the reference's with the fix"),
        (FAULTY, PROGRAM, REFERENCE, {"metric": {**METRIC, "threshold": 9.0}}, "the metric is reached with the fix"),
        (FAULTY, PROGRAM, REFERENCE, {"metric": {**METRIC, "threshold": 0.01}}, "the metric is missed without the fix"),
        (FAULTY, None, REFERENCE, CONTROL, "the gradient is right as it is"),
    ],
    ids=[
        "no fault",
        "a smaller step",
        "another gradient",
        "another loss",
        "out of reach",
        "too easy",
        "faulty control",
    ],
)
def test_a_case_that_is_not_what_it_says_fails(
    bench: Bench, make_case: MakeCase, staged: str, mended: str | None, reference: str, changes: Any, expected: str
) -> None:
    assert expected in failed(bench, make_case(staged, mended, reference, **changes))


def test_a_gradient_that_is_right_only_at_the_given_values_fails(bench: Bench, make_case: MakeCase) -> None:
    constants = "np.array([0.75, 3.0, 6.75, 12.0], dtype=np.float32)"
    hard_coded = PROGRAM.replace("    x.assign", f"    x.grad.assign({constants})\n    x.assign")
    assert "at unseen values" in failed(bench, make_case(FAULTY, hard_coded, truth={"iterations": 1, "visible": 1e-9}))


@pytest.mark.parametrize(
    ("changes", "staged", "expected"),
    [
        ({"entry": "other.py"}, FAULTY, "entry exists"),
        ({"decoys": [{"file": "program.py", "snippet": "tape.zero()"}]}, FAULTY, "decoys exist"),
        ({"prompt": "Is this gradient accumulation?"}, FAULTY, "the answer is not given away"),
        ({}, FAULTY + "# the bug is above\n", "the answer is not given away"),
    ],
)
def test_texts_that_do_not_fit_fail(make_case: MakeCase, changes: Any, staged: str, expected: str) -> None:
    checks = text_checks(make_case(staged, **changes))
    assert expected in [c.name for c in checks if not c.passed]


def test_a_metric_and_a_reason_for_having_none_exclude_each_other(make_case: MakeCase) -> None:
    with pytest.raises(UsageError, match="metric_absent"):
        make_case(metric=METRIC, metric_absent="the run ends as well without the fix")


def test_a_line_without_code_fails(make_case: MakeCase) -> None:
    causes = [{"kind": "gradient-accumulation", "file": "program.py", "lines": [400], "why": "x"}]
    checks = text_checks(make_case(expected={"verdict": "wrong", "causes": causes}))
    assert [c.name for c in checks if not c.passed] == ["lines exist"]
