"""Programs with known answers, unmodified, through the real command: verdict, kinds and places, no other defect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from driving import Diagnose

from harness.schema import DEFECT_KINDS, Finding

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
FOLDERS = ("shared", "tape", "kernel")
EXIT_CODES = {"correct": 0, "wrong": 1}
MISSES = {
    "greenhouse/tune.py": "an iteration without a backward pass of its own is not judged",
}
"""Programs whose answer is known to come out wrong, with the reason."""
EVERY_TIME = {
    "web_tension.py",
    "islands.py",
    "weigh.py",
    "islands_host/animal_counts.py",
    "radar_sweep.py",
    "dune_march.py",
    "battery/fit_fade.py",
}
"""Programs with several faults, in several iterations, that the ordinary test run includes."""


def test_every_shared_program_has_an_answer() -> None:
    cases = json.loads((PROGRAMS / "shared" / "expected.json").read_text())["cases"]
    assert {path.name for path in (PROGRAMS / "shared").glob("*.py")} == {case["script"] for case in cases}
    assert {case["verdict"] for case in cases} == set(EXIT_CODES)


def _cases() -> list[Any]:
    found = []
    for folder in FOLDERS:
        for case in json.loads((PROGRAMS / folder / "expected.json").read_text())["cases"]:
            if "warp" in case:
                continue
            is_rare = folder != "shared" and case["script"] not in EVERY_TIME
            marks = [pytest.mark.corpus] if is_rare else []
            if case["script"] in MISSES:
                marks.append(pytest.mark.xfail(reason=MISSES[case["script"]], strict=False))
            found.append(pytest.param(folder, case, id=f"{folder}-{case['script']}", marks=marks))
    return found


@pytest.mark.parametrize(("folder", "case"), _cases())
def test_the_causes_are_named_at_their_places(folder: str, case: dict[str, Any], diagnose: Diagnose) -> None:
    outcome = diagnose(PROGRAMS / folder / case["script"])
    report = outcome.report
    assert report.verdict == case["verdict"], report.summary
    assert outcome.code == EXIT_CODES[report.verdict]
    assert outcome.stderr == ""
    assert any(check.evaluations > 0 for parameter in report.parameters for check in parameter.checks)
    defects = [f for f in report.findings if f.kind in DEFECT_KINDS]
    expected = [c for c in case["causes"] if c["kind"] in DEFECT_KINDS]
    assert {f.kind for f in defects} == {c["kind"] for c in expected}
    assert report.not_attributed is None, report.not_attributed
    for cause in expected:
        assert any(_is_at(finding, cause) for finding in defects), [str(f.location) for f in defects]


def _is_at(finding: Finding, cause: dict[str, Any]) -> bool:
    if finding.kind != cause["kind"] or finding.location is None:
        return False
    places = [(cause.get("file"), line) for line in cause["lines"]]
    places += [(place["file"], line) for place in cause.get("elsewhere", ()) for line in place["lines"]]
    return any(
        line == finding.location.line and (file is None or finding.location.file.endswith(file))
        for file, line in places
    )
