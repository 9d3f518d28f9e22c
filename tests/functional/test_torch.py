"""Warp inside a torch.autograd.Function: each tape is judged on seed times output, and faults are named by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from driving import Diagnose

from harness.execute.live import LiveSession
from harness.execute.session import Limits, Target
from harness.options import Options
from harness.record.plan import Plan
from harness.schema import DEFECT_KINDS

FOLDER = Path(__file__).resolve().parents[1] / "programs" / "torch"
CASES: list[dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text())["cases"]
QUICK = ("heater_kept_arrays.py", "heater_zeroed_arrays.py", "arm_shared_memory.py")

pytestmark = pytest.mark.torch


def _cases() -> list[Any]:
    return [
        pytest.param(case, id=case["script"], marks=[] if case["script"] in QUICK else [pytest.mark.corpus])
        for case in CASES
    ]


def test_every_program_of_the_folder_has_an_answer() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == {case["script"] for case in CASES}
    assert [case["verdict"] for case in CASES].count("correct") >= 3
    assert [case["verdict"] for case in CASES].count("wrong") >= 3


@pytest.mark.parametrize("case", _cases())
def test_the_cause_is_named_and_proven_at_its_place(case: dict[str, Any], diagnose: Diagnose) -> None:
    report = diagnose(FOLDER / case["script"]).report
    assert report.verdict == case["verdict"], report.summary
    assert report.not_attributed is None
    defects = [f for f in report.findings if f.kind in DEFECT_KINDS]
    assert {f.kind for f in defects} == {c["kind"] for c in case["causes"]}
    for finding, cause in zip(defects, case["causes"], strict=True):
        assert finding.confidence == "proven"
        assert finding.location is not None
        assert (finding.location.file, finding.location.line in cause["lines"]) == (case["script"], True)


def test_a_later_run_finds_torch_imported_by_the_worker(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text('import sys\nprint("torch" in sys.modules)\nimport torch\nimport warp as wp\nwp.init()\n')
    target = Target(str(program), None, (), str(tmp_path))
    with LiveSession(target, Options().python, Limits()) as session:
        for number in (1, 2):
            session.record(Plan())
            said = (session.scratch / f"run-{number}" / "stdout.txt").read_text()
            assert said.startswith("False" if number == 1 else "True")
