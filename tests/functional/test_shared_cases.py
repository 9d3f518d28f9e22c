"""Small programs with known answers, unmodified, through the real command and without any option."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driving import Diagnose

FOLDER = Path(__file__).resolve().parents[1] / "programs" / "shared"
CASES = {case["script"]: case for case in json.loads((FOLDER / "expected.json").read_text())["cases"]}
EXIT_CODES = {"correct": 0, "wrong": 1}


def test_every_program_of_the_folder_has_an_answer() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == set(CASES)
    assert {case["verdict"] for case in CASES.values()} == set(EXIT_CODES)


@pytest.mark.parametrize("script", sorted(CASES))
def test_the_verdict_is_right(script: str, diagnose: Diagnose) -> None:
    outcome = diagnose(FOLDER / script)
    report = outcome.report
    assert report.verdict == CASES[script]["verdict"], report.summary
    assert outcome.code == EXIT_CODES[report.verdict]
    assert outcome.stderr == ""
    assert any(check.evaluations > 0 for parameter in report.parameters for check in parameter.checks)
