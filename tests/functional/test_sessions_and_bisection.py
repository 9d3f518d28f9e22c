"""`--record` and `--from`: the same report without the program. `--bisect`: the smallest value that is wrong."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from driving import HEADER, Diagnose, run_command

PROGRAM = (
    "STEPS = 6\n"
    + HEADER.replace("    tape.backward(loss)", "    if STEPS > 4:\n        x.fill_(0.3)\n    tape.backward(loss)")
    + "for step in range(STEPS):\n    iterate()\n"
)
QUICK = ("--iterations", "1", "--budget", "8")


def findings_without_cost(text: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text)
    del report["cost"]
    return report


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A session file, and the report of the diagnosis that wrote it. The program is gone."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "program.py").write_text(PROGRAM)
    outcome = run_command(["program.py", "--record", "a.session", "--format", "json", *QUICK], folder)
    assert outcome.report.verdict == "wrong", outcome
    (folder / "program.py").unlink()
    return folder / "a.session", outcome.stdout


def test_a_recorded_session_gives_the_same_report(recorded: tuple[Path, str], tmp_path: Path) -> None:
    file, report = recorded
    outcome = run_command(["--from", str(file), "--format", "json"], tmp_path)
    assert outcome.code == 1
    assert findings_without_cost(outcome.stdout) == findings_without_cost(report)
    assert "x.fill_(0.3)" in outcome.stdout or not outcome.report.findings


def test_other_options_need_another_recording(recorded: tuple[Path, str], tmp_path: Path) -> None:
    outcome = run_command(["--from", str(recorded[0]), "--seed", "7"], tmp_path)
    assert outcome.code == 2
    assert "has no answer for a step of this diagnosis (evaluations)" in outcome.stderr
    assert "Record it again" in outcome.stderr


def test_another_format_is_refused(recorded: tuple[Path, str], tmp_path: Path) -> None:
    changed = tmp_path / "b.session"
    with zipfile.ZipFile(recorded[0]) as old, zipfile.ZipFile(changed, "w") as new:
        index = json.loads(old.read("journal.json"))
        new.writestr("journal.json", json.dumps({**index, "format_version": 99}))
    outcome = run_command(["--from", str(changed)], tmp_path)
    assert outcome.code == 2
    assert "session format 99" in outcome.stderr


def test_a_program_that_crashes_can_be_recorded(diagnose: Diagnose, tmp_path: Path) -> None:
    first = diagnose("import os\nos.abort()\n", "--record", "a.session")
    again = run_command(["--from", "a.session", "--format", "json"], tmp_path)
    assert first.code == again.code == 4
    assert findings_without_cost(first.stdout) == findings_without_cost(again.stdout)


def test_a_session_that_cannot_start_leaves_no_file(diagnose: Diagnose, tmp_path: Path) -> None:
    outcome = diagnose("x = 1\n", "--record", "a.session", "--python", "/bin/true")
    assert outcome.code == 2
    assert [p.name for p in tmp_path.iterdir()] == ["program.py"]


def test_bisection_finds_the_smallest_wrong_value(diagnose: Diagnose) -> None:
    outcome = diagnose(PROGRAM, "--bisect", "STEPS", *QUICK)
    assert outcome.code == 1
    assert outcome.report.program.overrides == {"STEPS": "5"}
    assert "The gradient is wrong from STEPS = 5; with 4 it is correct." in outcome.stderr
    assert "STEPS = 1  correct" in outcome.stderr


def test_bisection_says_when_no_value_is_wrong(diagnose: Diagnose) -> None:
    outcome = diagnose(PROGRAM, "--bisect", "STEPS=2:3", *QUICK, "--format", "text")
    assert outcome.code == 0
    assert outcome.stdout.startswith("  STEPS = 2  correct\n  STEPS = 3  correct\nNo value of STEPS")
