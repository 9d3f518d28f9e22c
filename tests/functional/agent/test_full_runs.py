"""Whole runs: the real SDK, recorded decisions, and everything measured again at the end."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from running import KEY, Ran, decisions, project, run_agent

pytestmark = pytest.mark.slow


def _run(tmp_path: Path, name: str, *options: str) -> Ran:
    recorded = decisions(name)
    where = project(tmp_path, recorded["program"])
    before = (where / recorded["program"]).read_bytes()
    ran = run_agent(where, recorded["replies"], recorded["program"], "--complaint", recorded["complaint"], *options)
    assert not ran.problems, ran.problems
    assert ran.code == recorded["exit_code"], ran.stderr + ran.stdout
    assert len(ran.requests) == len(recorded["replies"])
    assert recorded["complaint"] in ran.requests[0]["messages"][0]["content"]
    assert (where / recorded["program"]).read_bytes() == before, "the original is never touched"
    assert KEY not in ran.stdout + ran.stderr
    for path in ran.folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    return ran


def test_one_fault_ends_in_a_verified_patch(tmp_path: Path) -> None:
    ran = _run(tmp_path, "one_fault")
    outcome = ran.outcome
    assert {claim.what: claim.state for claim in outcome.claims} == dict.fromkeys(
        ["verdict", "finding", "fix"], "holds"
    )
    assert "+    tape.zero()" in outcome.patch
    assert outcome.verification is not None
    assert outcome.verification.verdict == "verified"
    assert "gradient-accumulation" in ran.results(1)[0]
    # The patch is one that other tools take, and on request it goes to the user's files.
    where, folder = tmp_path / "project", ran.folder
    shutil.copytree(where, tmp_path / "by-hand")
    subprocess.run(["patch", "-p1", "-i", str(folder / "fix.patch")], cwd=tmp_path / "by-hand", check=True)
    again = run_agent(where, [], "--resume", str(folder), "--apply")
    assert again.code == 1, again.stderr
    assert again.outcome.applied == ("spring_fit.py",)
    assert (where / "spring_fit.py").read_text() == (tmp_path / "by-hand" / "spring_fit.py").read_text()
    assert "tape.zero()" in (where / "spring_fit.py").read_text()
    assert "tape.zero()" not in (folder / "backup" / "spring_fit.py").read_text()


def test_two_faults_are_both_named_and_fixed_without_streaming(tmp_path: Path) -> None:
    ran = _run(tmp_path, "two_faults", "--no-stream")
    outcome = ran.outcome
    assert [claim.state for claim in outcome.claims] == ["holds"] * 4
    assert not any(request.get("stream") for request in ran.requests)
    assert outcome.patch.count("\n+") == 3  # two lines and the heading


def test_a_correct_gradient_is_confirmed(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "correct_gradient").outcome
    assert outcome.patch == ""
    assert outcome.report is not None
    assert outcome.report.verdict == "correct"


def test_a_program_that_cannot_run_is_blocked(tmp_path: Path) -> None:
    ran = _run(tmp_path, "cannot_run", "--no-stream")
    assert "No module named 'heat_tables'" in ran.results(1)[0]
    assert ran.outcome.claims[0].state == "holds"


def test_a_wrong_claim_fails_the_run(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "wrong_claim").outcome
    states = {claim.what: claim.state for claim in outcome.claims}
    assert states["verdict"] == "does not hold"
    assert states["fix"] == "does not hold"


def test_a_fix_that_changes_the_physics_fails_the_run(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "changes_the_physics").outcome
    states = {claim.what: claim.state for claim in outcome.claims}
    assert states == {"verdict": "holds", "finding": "holds", "fix": "does not hold"}
