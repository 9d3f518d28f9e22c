"""An installed copy in a folder elsewhere judges a program in an environment that has Warp and numpy alone."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from driving import HEADER, run_command

from harness.installation import ASSISTANTS, NAME
from harness.schema import Report

PROGRAM = HEADER + "for _ in range(2):\n    print(iterate().numpy())\n"


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """An interpreter that finds the standard library, Warp and numpy, and no other package."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(folder).iterdir():
            if entry.name.partition("-")[0].partition(".")[0] in ("warp", "warp_lang", "numpy"):
                (packages / entry.name).symlink_to(entry)
    python = tmp_path / "bare-python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}" exec "{sys.executable}" -S -s "$@"\n')
    python.chmod(0o755)
    for name, has_it in (("warp", True), ("numpy", True), ("pydantic", False), ("rich", False), ("jinja2", False)):
        done = subprocess.run([str(python), "-c", f"import {name}"], capture_output=True, check=False)
        assert (done.returncode == 0) == has_it, f"the environment is not what the test needs: {name}"
    return python


def test_an_installed_copy_works_elsewhere_with_an_environment_of_warp_and_numpy(
    tmp_path: Path, bare_python: Path
) -> None:
    skills, project = tmp_path / "assistant" / "skills", tmp_path / "project"
    project.mkdir()
    (project / "program.py").write_text(PROGRAM)
    installed = run_command(["install", "--target", str(skills)], project)
    assert installed.code == 0, installed.stderr
    run = skills / NAME / "harness" / "run.py"
    assert f"python3 {run} doctor" in installed.stdout

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(run), *arguments],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )

    doctor = command("doctor", "--python", str(bare_python))
    assert doctor.returncode == 0, doctor.stdout
    assert str(skills / NAME) in doctor.stdout.splitlines()[0]
    judged = command("program.py", "--python", str(bare_python), "--iterations", "1", "--no-causes", "--format", "json")
    assert judged.returncode == 0, judged.stderr
    report = Report.model_validate_json(judged.stdout)
    assert report.verdict == "correct"
    assert sorted(p.name for p in project.iterdir()) == ["program.py"]


@pytest.mark.parametrize("scope", ["user", "project"])
def test_every_assistant_has_a_folder_for_you_and_one_for_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    base = home if scope == "user" else project
    outcome = run_command(["install", "--assistant", "claude", "--scope", scope], project)
    assert outcome.code == 0, outcome.stderr
    folder = base / ".claude" / "skills" / NAME
    assert (folder / "SKILL.md").exists()
    manifest = json.loads((folder / ".installed-by-warp-debug-gradients.json").read_text())
    assert "harness/run.py" in manifest["files"]
    assert "Already installed" in run_command(["install", "--assistant=claude", "--scope", scope], project).stdout
    for assistant in sorted(set(ASSISTANTS) - {"claude"})[:2]:
        told = run_command(["install", "--assistant", assistant, "--scope", scope, "--dry-run"], project)
        assert str(base / ASSISTANTS[assistant][scope] / NAME) in told.stdout  # type: ignore[index]


@pytest.mark.parametrize("arguments", [[], ["--assistant", "claude", "--target", "x"], ["--assistant", "nobody"]])
def test_a_place_has_to_be_named_once(tmp_path: Path, arguments: list[str]) -> None:
    outcome = run_command(["install", *arguments], tmp_path)
    assert outcome.code == 2
    assert "claude" in outcome.stderr
    assert list(tmp_path.iterdir()) == []
