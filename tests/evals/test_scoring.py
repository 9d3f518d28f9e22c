"""Each check of the scorer can fail: what a trial hands in is spoilt in one way, and exactly that is seen."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_case import FAULTY, PROGRAM, MakeCase

from evals.agents import AgentSpec
from evals.corpus import StoredCase
from evals.judge import gradient_is_right, gradient_is_wrong
from evals.measure import Bench, Measurement, Point
from evals.result import TrialResult
from evals.scoring import total
from evals.trial import Trial, run_trial
from evals.truth import load_reference
from evals.workspace import collect

GOOD: dict[str, Any] = {
    "verdict": "wrong",
    "findings": [{"kind": "gradient-accumulation", "location": {"file": "program.py", "line": 20}}],
    "claims": {"fixed": True, "verified": True},
}


def at(place: Any) -> dict[str, Any]:
    return {**GOOD, "findings": [{"kind": "gradient-accumulation", "location": place}]}


METRIC = {"pattern": "loss {}", "threshold": 3.0, "better": "higher"}
DECOYS = [{"file": "program.py", "snippet": "x[i] * x[i] * x[i]"}]

Work = Callable[..., TrialResult]


def trial(stored: StoredCase, name: str = "fix", **spec: Any) -> Trial:
    return Trial(stored, AgentSpec(name, **spec), "none", "none", 0, 7)


@pytest.fixture(autouse=True)
def _one_set_of_unseen_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.trial._UNSEEN", 1)


@pytest.fixture
def hand_in(make_case: MakeCase, tmp_path: Path) -> Work:
    """``hand_in(program, findings, also={file: text})``: a trial whose assistant leaves these files."""

    def work(
        program: str = PROGRAM, findings: Any = GOOD, also: dict[str, str] | None = None, stored: Any = None
    ) -> TrialResult:
        files = {"program.py": program, **(also or {})}
        if findings is not None:
            files["findings.json"] = findings if isinstance(findings, str) else json.dumps(findings)
        script = tmp_path / "assistant.py"
        script.write_text(
            f"import pathlib\nfor name, text in {files!r}.items():\n"
            "    pathlib.Path(name).unlink() if text is None else pathlib.Path(name).write_text(text)\n"
        )
        stored = stored or make_case(metric=METRIC, decoys=DECOYS)
        return run_trial(trial(stored, "command", command=f"{sys.executable} {script}"))

    return work


def failed(result: TrialResult) -> set[str]:
    """Names of the failed checks; the seed of unseen values is cut off."""
    assert result.status == "scored", result.reason
    names = [c.name for c in result.checks if not c.passed and c.part != "note"]
    return {name.rstrip("0123456789 ") for name in names}


def test_a_mended_workspace_with_the_right_findings_scores_one(hand_in: Work) -> None:
    result = hand_in()
    assert (result.score, result.solved, result.contradicted) == (1.0, True, ()), result.checks
    assert len(result.checks) > 8
    assert "+    tape.zero()" in result.diff


def test_a_fix_that_is_not_there_is_seen_and_the_claim_is_counted(hand_in: Work) -> None:
    result = hand_in(FAULTY)
    assert {"gradient", "gradient at unseen values", "metric"} <= failed(result)
    assert len(result.contradicted) == 2
    assert not result.solved


def test_a_hard_coded_gradient_fails_at_unseen_values(hand_in: Work, make_case: MakeCase) -> None:
    constants = "np.array([0.75, 3.0, 6.75, 12.0], dtype=np.float32)"
    program = PROGRAM.replace("    x.assign", f"    x.grad.assign({constants})\n    x.assign")
    stored = make_case(truth={"iterations": 1, "visible": 1e-9})
    assert failed(hand_in(program, stored=stored)) == {"gradient at unseen values"}


def test_an_update_that_reads_no_gradient_fails(hand_in: Work) -> None:
    assert "gradient" in failed(hand_in(PROGRAM.replace("x.grad.numpy()", "3 * x.numpy() ** 2")))


def test_another_loss_fails_even_if_the_metric_is_reached(hand_in: Work) -> None:
    program = PROGRAM.replace("x[i] * x[i] * x[i])", "0.5 * (x[i] * x[i] * x[i]))")
    assert {"forward", "forward at unseen values", "gradient"} <= failed(hand_in(program))


def test_a_smaller_step_is_no_fix(hand_in: Work) -> None:
    result = hand_in(FAULTY.replace("0.02", "0.0005"))
    assert "metric" not in failed(result)
    assert {"gradient", "gradient at unseen values"} <= failed(result)


def test_a_smaller_step_on_top_of_the_fix_is_noted(hand_in: Work) -> None:
    result = hand_in(PROGRAM.replace("0.02", "0.01"))
    assert [c.name for c in result.checks if c.part == "note" and not c.passed] == ["same update"]


def test_other_start_values_fail(hand_in: Work) -> None:
    assert failed(hand_in(PROGRAM.replace("[0.5, 1.0,", "[0.6, 1.0,"))) == {"start values"}


def test_a_changed_test_or_a_deleted_file_fails(hand_in: Work, make_case: MakeCase) -> None:
    stored = make_case(metric=METRIC)
    for name in ("test_program.py", "settings.yaml"):
        (stored.files_folder / name).write_text("x: 1\n")
    assert not failed(hand_in(stored=stored))
    assert failed(hand_in(stored=stored, also={"test_program.py": "pass\n"})) == {"other files untouched"}
    assert failed(hand_in(stored=stored, also={"settings.yaml": None})) == {"other files untouched"}  # type: ignore[dict-item]


def test_a_changed_decoy_fails(hand_in: Work) -> None:
    assert failed(hand_in(PROGRAM.replace("x[i] * x[i] * x[i]", "wp.pow(x[i], 3.0)"))) == {"decoys untouched"}


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ({**GOOD, "verdict": "correct"}, {"verdict"}),
        ({**GOOD, "findings": []}, {"causes", "place"}),
        ({**GOOD, "findings": [*GOOD["findings"], {"kind": "severed-chain"}]}, {"causes"}),
        ({**GOOD, "findings": [*GOOD["findings"], {"kind": "made-up"}]}, {"causes"}),
        ({**GOOD, "findings": [*GOOD["findings"], {"kind": "cancellation"}]}, set()),
        (at({"file": "program.py", "line": 3}), {"place"}),
        (at({"file": "program.py", "line": 1, "end_line": 40}), {"place"}),
        (at(None), {"place"}),
        (None, {"verdict", "causes", "place"}),
        ("no JSON", {"verdict", "causes", "place"}),
    ],
    ids=[
        "verdict", "nothing named", "another defect", "an unknown kind", "a remark", "another line", "half the file",
        "no place",        "no file", "no JSON",
    ],
)  # fmt: skip
def test_wrong_findings_fail(bench: Bench, make_case: MakeCase, findings: Any, expected: set[str]) -> None:
    text = findings if findings is None or isinstance(findings, str) else json.dumps(findings)
    stored = make_case()
    handed_in = collect(stored, stored.files_folder, text, "")
    checks = total.score(bench, stored, handed_in, stored.files_folder, None, ())["checks"]
    assert {c.name for c in checks if not c.passed} == expected


def test_scripted_agents_score_one_and_nothing_and_little(make_case: MakeCase) -> None:
    stored = make_case(metric=METRIC)
    assert run_trial(trial(stored, "fix")).score == 1.0
    assert run_trial(trial(stored, "nothing")).score == 0.0
    blaming = run_trial(trial(stored, "blame-requires-grad"))
    assert blaming.score is not None
    assert blaming.score < 0.5
    assert blaming.contradicted


def test_doing_nothing_scores_nothing_on_a_control_too(make_case: MakeCase) -> None:
    stored = make_case(PROGRAM, None, expected={"verdict": "correct"})
    assert run_trial(trial(stored, "nothing")).score == 0.0
    assert run_trial(trial(stored, "fix")).score == 1.0
    blaming = run_trial(trial(stored, "blame-requires-grad"))
    assert blaming.false_defects == 1


def test_a_case_that_does_not_hold_here_is_shown_as_such(make_case: MakeCase) -> None:
    broken = run_trial(trial(make_case(reference="def other(): pass\n")))
    assert (broken.status, broken.score) == ("unscored", None)
    assert "objective" in broken.reason


def test_a_package_that_is_missing_skips_the_case(make_case: MakeCase) -> None:
    assert run_trial(trial(make_case(needs=["no_such_package"]))).status == "skipped"


def test_an_assistant_that_hangs_is_ended_with_its_children_and_scored(make_case: MakeCase) -> None:
    command = f"{sys.executable} -c \"import subprocess; subprocess.run(['sleep', '60'])\""
    result = run_trial(trial(make_case(), "command", command=command, timeout=1.0))
    assert result.status == "scored"
    assert "ended after 1 s" in result.reason
    assert result.usage.seconds < 20


def test_parameters_that_are_not_finite_are_a_wrong_gradient_and_no_fault_of_the_reference(make_case: MakeCase) -> None:
    stored = make_case()
    reference = load_reference(stored.reference_path)
    start = np.array([0.5, 1.0, 1.5, 2.0])
    right = [Point(i, {"x": start}, {"x": 3 * start**2}, 12.5) for i in range(3)]
    assert gradient_is_right("gradient", stored.case, reference, Measurement(right), {}).passed
    lost = [*right[:2], Point(2, {"x": start * np.nan}, {"x": start}, None)]
    assert not gradient_is_right("gradient", stored.case, reference, Measurement(lost), {}).passed
    assert gradient_is_wrong("fault", stored.case, reference, Measurement(lost), {}).passed
