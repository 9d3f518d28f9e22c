"""The scripts of the templates beside `fd_check`, each on a right and a wrong program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rendered_scripts import CASES, Rendered

X = '{"x": [0.5, 1.0, 1.5]}'


# overwrite_audit


def test_an_overwrite_is_proven_by_putting_the_contents_back(rendered: Rendered) -> None:
    answer = rendered.verdict("overwrite_audit", script=CASES / "relax_field_before_backward.py", parameters=["params"])
    assert (answer.verdict, answer.reason) == ("wrong", "array_overwrite")
    (row,) = answer.rows
    assert row["array"] == "field"
    assert row["read_by"] == "`radiated` (relax_field_before_backward.py:51)"
    assert row["changed_by"] == "`smooth_for_plot` (relax_field_before_backward.py:55)"
    assert row["matters"] == "yes"
    assert [check.verdict for check in answer.checks] == ["disagrees", "agrees"]


def test_a_harmless_overwrite_is_no_fault(rendered: Rendered) -> None:
    answer = rendered.verdict("overwrite_audit", script=CASES / "inplace_leapfrog.py", parameters=["params"])
    assert answer.verdict == "correct"
    assert {row["matters"] for row in answer.rows} == {"no"}


def test_another_cause_is_not_called_an_overwrite(rendered: Rendered) -> None:
    answer = rendered.verdict("overwrite_audit", script=CASES / "flux_buffer_zeroed.py", parameters=["params"])
    assert (answer.verdict, answer.reason) == ("wrong", "another_cause")


def test_overwrites_in_a_function_are_found(rendered: Rendered) -> None:
    answer = rendered.verdict("overwrite_audit", forward="functions.py:two_buffers", parameters=X)
    assert (answer.verdict, answer.reason) == ("wrong", "array_overwrite")


# launch_check

CUBES = {"x": [0.5, 1.0, 1.5], "loss": {"shape": 1}}


def launch(kernel: str, **arguments: Any) -> dict[str, Any]:
    return {"kernel": f"functions.py:{kernel}", "dim": 3, "arguments": json.dumps({**CUBES, **arguments})}


@pytest.mark.parametrize(
    ("variables", "verdict"), [(launch("cubes"), "correct"), (launch("cubes_in_a_loop", n=3), "wrong")]
)
def test_the_adjoint_of_one_launch_is_judged(rendered: Rendered, variables: dict[str, Any], verdict: str) -> None:
    answer = rendered.verdict("launch_check", **variables)
    assert answer.verdict == verdict
    assert answer.checks[0].subject == "adjoint of `x`"


def test_a_kernel_of_a_training_script_is_checked_without_training(rendered: Rendered) -> None:
    given = {"power": [0.5, 1.0, 0.2, 0.8], "field": {"shape": 16}}
    kernel = f"{CASES / 'relax_field_before_backward.py'}:deposit"
    answer = rendered.verdict("launch_check", kernel=kernel, dim=16, arguments=json.dumps(given))
    assert answer.verdict == "correct"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (launch("right"), "is not a kernel"),
        (launch("cubes_in_a_loop"), "The argument `n` of the kernel is missing"),
        (launch("cubes", lost=1.0), "has no argument `lost`; did you mean `loss`?"),
    ],
)
def test_wrong_arguments_of_a_kernel_are_named(rendered: Rendered, variables: dict[str, Any], said: str) -> None:
    answer, code, _ = rendered.run("launch_check", **variables)
    assert said in answer.summary
    assert code == 2


# horizon_bisect


def test_the_smallest_wrong_horizon_is_found(rendered: Rendered) -> None:
    answer = rendered.verdict("horizon_bisect", forward="functions.py:rollout", parameters=X, high=12)
    assert answer.verdict == "wrong"
    verdicts = {row["steps"]: row["verdict"] for row in answer.rows}
    smallest = answer.numbers["smallest_wrong"]
    assert verdicts[smallest] == "wrong"
    assert smallest > 1
    assert verdicts[smallest - 1] == "correct"


def test_a_right_program_has_no_wrong_horizon(rendered: Rendered) -> None:
    answer = rendered.verdict("horizon_bisect", forward="functions.py:sound_rollout", parameters=X, high=6)
    assert answer.verdict == "correct"


def test_the_horizon_of_a_script_is_a_constant_of_it(rendered: Rendered) -> None:
    script = CASES / "flux_buffer_zeroed.py"
    text = script.read_text()
    answer, code, _ = rendered.run("horizon_bisect", script=script, parameters=["params"], steps="NO_SUCH", high=4)
    assert (answer.reason, code) == ("no_such_name", 2)
    name = next(line.split(" = ")[0] for line in text.splitlines() if line.startswith(("STEPS", "N_STEPS")))
    answer = rendered.verdict("horizon_bisect", script=script, parameters=["params"], steps=name, high=8)
    assert answer.verdict == "wrong"
    assert script.read_text() == text


# float64_reference


@pytest.mark.parametrize(
    ("forward", "reference", "verdict", "reason"),
    [
        ("right", "float64_cubes", "correct", None),
        ("wrong", "float64_cubes", "wrong", None),
        ("right", "other_cubes", "undecided", "different_objective"),
    ],
)
def test_a_program_is_held_against_a_float64_reference(
    rendered: Rendered, forward: str, reference: str, verdict: str, reason: str | None
) -> None:
    answer = rendered.verdict(
        "float64_reference",
        forward=f"functions.py:{forward}",
        parameters=X,
        reference=f"functions.py:{reference}",
    )
    assert (answer.verdict, answer.reason) == (verdict, reason)
    if verdict == "wrong":
        assert answer.rows[0]["element"] == "x[2]"
        assert answer.rows[0]["reference"] == pytest.approx(6.75, rel=1e-6)


# custom_adjoint_probe


def test_a_right_custom_gradient_passes(rendered: Rendered) -> None:
    samples = '{"x": [-1.5, 0.3, 2.0, 0.7], "scale": [1.0, 2.0, 0.5, 0.8]}'
    answer = rendered.verdict("custom_adjoint_probe", function="functions.py:squash", samples=samples)
    assert answer.verdict == "correct"
    assert answer.numbers["has_custom_gradient"] == 1.0


@pytest.mark.parametrize(("forward", "is_called"), [("with_crush", 1.0), ("right", 0.0)])
def test_a_wrong_custom_gradient_is_found_and_whether_it_is_called(
    rendered: Rendered, forward: str, is_called: float
) -> None:
    answer = rendered.verdict(
        "custom_adjoint_probe",
        function="functions.py:crush",
        samples='{"x": [-1.5, 0.3, 2.0, 0.7]}',
        forward=f"functions.py:{forward}",
        parameters=X,
    )
    assert answer.verdict == "wrong"
    assert answer.numbers["changes_the_program"] == is_called


def test_a_straight_through_estimator_is_called_that(rendered: Rendered) -> None:
    answer = rendered.verdict(
        "custom_adjoint_probe", function="functions.py:quantise", samples='{"x": [0.31, 0.7, 1.6, -0.9]}'
    )
    assert (answer.verdict, answer.reason) == ("undecided", "straight_through")


# checkpointing


@pytest.mark.parametrize(
    ("step", "verdict", "reason"), [("step", "correct", None), ("reusing_step", "wrong", "segments_differ")]
)
def test_a_gradient_in_segments_is_that_of_one_tape(
    rendered: Rendered, step: str, verdict: str, reason: str | None
) -> None:
    answer = rendered.verdict(
        "checkpointing",
        step=f"functions.py:{step}",
        loss="functions.py:final_loss",
        state='{"s": [0.4, 0.5]}',
        parameters='{"p": [0.7, 0.2]}',
        steps=20,
    )
    assert (answer.verdict, answer.reason) == (verdict, reason)
    assert answer.numbers["launches_segment"] < answer.numbers["launches_one_tape"] / 3


def test_a_dropped_boundary_adjoint_would_be_found(rendered: Rendered) -> None:
    """The test of the template has teeth: without the boundary adjoints the script says so."""
    variables = {
        "step": "functions.py:step",
        "loss": "functions.py:final_loss",
        "state": '{"s": [0.4, 0.5]}',
        "parameters": '{"p": [0.7, 0.2]}',
        "steps": 12,
    }
    spoilt = ("[wp.clone(array.grad) for array in start]", "[wp.zeros_like(array.grad) for array in start]")
    answer = rendered.verdict("checkpointing", spoilt=spoilt, **variables)
    assert (answer.verdict, answer.reason) == ("wrong", "segments_differ")


# repro


def test_the_skeleton_of_a_repro_runs_as_it_is(rendered: Rendered) -> None:
    answer = rendered.verdict("repro", symptom="the loss rises", kernels='["functions.py:cubes"]')
    assert answer.verdict == "correct"
    assert "the loss rises" in answer.observations[0]


# verify_fix


@pytest.mark.parametrize(
    ("before", "after", "verdict", "reason"),
    [
        ("wrong", "right", "correct", None),
        ("right", "wrong", "wrong", None),
        ("right", "right", "undecided", "before_not_wrong"),
        ("wrong", "louder", "undecided", "forward_changed"),
    ],
)
def test_a_fix_is_one_only_if_it_mends_the_gradient_alone(
    rendered: Rendered, before: str, after: str, verdict: str, reason: str | None
) -> None:
    answer = rendered.verdict(
        "verify_fix", before=f"functions.py:{before}", after=f"functions.py:{after}", parameters=X, points=2
    )
    assert (answer.verdict, answer.reason) == (verdict, reason)


def test_a_fix_of_a_script_is_verified(rendered: Rendered) -> None:
    before = CASES / "relax_field_before_backward.py"
    text = before.read_text()
    relaxing = "    for _ in range(4):\n        wp.launch(smooth_for_plot, dim=N, inputs=[field, N])\n"
    assert relaxing in text
    mended = text.replace(relaxing, "    shown = wp.clone(field)\n" + relaxing.replace("[field, N]", "[shown, N]"))
    (rendered.folder / "mended.py").write_text(mended)
    answer = rendered.verdict("verify_fix", before=before, after="mended.py", parameters=["params"], points=2)
    assert answer.verdict == "correct"


# report


def test_the_report_is_filled_from_answers_of_scripts(rendered: Rendered, tmp_path: Path) -> None:
    _, _, output = rendered.run("fd_check", forward="functions.py:wrong", parameters=X)
    (tmp_path / "fd_check.txt").write_text(output)
    made = rendered.render(
        "report", title="`x` <b>", probes='["fd_check.txt"]', change="-a\n+b", rerun='["python a.py"]'
    )
    assert made.code == 0, made.stderr
    assert made.stdout.startswith("# `x` \\<b>\n")
    assert "| d(loss)/d(x) |" in made.stdout
    assert "```diff\n-a\n+b\n```" in made.stdout


def test_a_file_without_an_answer_is_refused(rendered: Rendered) -> None:
    refused = rendered.render("report", title="t", probes='["functions.py"]')
    assert refused.code == 2
    assert "is no answer of a rendered script" in refused.stderr
