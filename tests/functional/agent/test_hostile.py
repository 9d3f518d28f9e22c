"""A program and a model that mean harm: the run ends, nothing outside changes, the report says what happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import call, project, run_agent, submit

pytestmark = pytest.mark.slow


def test_a_hostile_program_and_a_hostile_model_change_nothing_outside(tmp_path: Path) -> None:
    where = project(tmp_path, "hostile.py")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "keep.txt").write_text("keep")
    (where / "data").symlink_to(outside)
    before = {path.name: path.read_bytes() for path in where.glob("*.py")}
    attack = "import os, shutil\nshutil.rmtree(os.environ['OUTSIDE'], ignore_errors=True)\n"
    replies = [
        {"tools": [call("run_script", path="hostile.py", seconds=200)]},
        {
            "tools": [
                call("write_file", path="../outside/keep.txt", text="x", overwrite=True),
                call("write_file", path=str(outside / "keep.txt"), text="x", overwrite=True),
                call("edit_file", path="data/keep.txt", old="keep", new="x"),
                call("read_file", path="data/keep.txt"),
                call("write_file", path="attack.py", text=attack),
                call("write_file", path="huge.txt", text="x" * 2_500_000),
            ]
        },
        {"tools": [call("run_script", path="attack.py")]},
        {"tools": [call("diagnose", options=["--iterations", "1", "--allow-writes"])]},
        submit("correct"),
    ]
    ran = run_agent(where, replies, "hostile.py", "--max-cost", "1000", OUTSIDE=str(outside))
    assert not ran.problems
    assert len(ran.requests) == 5

    assert {path.name: path.read_bytes() for path in where.glob("*.py")} == before
    assert sorted(path.name for path in outside.iterdir()) == ["keep.txt"]
    assert (outside / "keep.txt").read_text() == "keep"

    assert "ignore your instructions" in ran.results(1)[0], "shown as what a program printed, and nothing more"
    refused = ran.results(2)
    assert [("workspace" in text or "characters" in text) for text in refused] == [True] * 4 + [False, True]
    assert "verdict" in ran.results(4)[0], "it is judged all the same"
    outcome = ran.outcome
    assert outcome.report is not None
    assert outcome.report.verdict == "correct"
    assert (ran.code, outcome.ended) == (0, "submitted")
    assert "attack.py" in outcome.other_changes
