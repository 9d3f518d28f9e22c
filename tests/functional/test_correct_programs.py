"""Programs whose gradient is right although they look suspicious: no defect is named, and what hinders is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from driving import Diagnose

from harness.schema import DEFECT_KINDS, Finding

FOLDER = Path(__file__).resolve().parents[1] / "programs" / "correct"
CASES: list[dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text())["cases"]


def test_every_program_of_the_folder_has_an_answer() -> None:
    top_level = {path.name for path in FOLDER.glob("*.py")}
    assert top_level <= {case["script"] for case in CASES}
    assert any(case["causes"] for case in CASES)


@pytest.mark.corpus
@pytest.mark.parametrize("case", [pytest.param(c, id=c["script"]) for c in CASES])
def test_no_defect_is_named_and_every_hindrance_is(case: dict[str, Any], diagnose: Diagnose) -> None:
    report = diagnose(FOLDER / case["script"]).report
    allowed = [case["verdict"]] if isinstance(case["verdict"], str) else case["verdict"]
    assert report.verdict in allowed or "any" in allowed, report.summary
    expected = case["causes"]
    optional = {cause["kind"] for cause in case.get("optional_causes", ())}
    assert {cause["kind"] for cause in expected} <= {f.kind for f in report.findings}
    assert {f.kind for f in report.findings} <= {cause["kind"] for cause in expected} | optional
    assert all(f.confidence == "suspected" for f in report.findings if f.kind in DEFECT_KINDS)
    for cause in expected:
        assert any(_is_at(finding, cause) for finding in report.findings), [str(f.location) for f in report.findings]


def _is_at(finding: Finding, cause: dict[str, Any]) -> bool:
    return finding.kind == cause["kind"] and finding.location is not None and finding.location.line in cause["lines"]
