"""`doctor`: what works here, said by a command that needs nothing but the standard library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from driving import COMMAND, ROOT, run_command

HIDES_PACKAGES = """\
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pydantic", "rich", "jinja2"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
sys.path.insert(0, {root!r})
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in ("rich", "jinja2", "pydantic") else real(name)
from harness.command.main import main
sys.exit(main(["doctor", "--python", "/nowhere/python"]))
"""


def test_a_working_place_is_said_to_be_one(tmp_path: Path) -> None:
    outcome = run_command(["doctor"], tmp_path)
    assert outcome.code == 0, outcome.stdout
    for step in ("pydantic", "warp", "fork", "devices", "kernel cache", "kernel and tape"):
        assert f"  ok       {step}" in outcome.stdout
    assert "d(x * x)/dx at 3 is 6" in outcome.stdout
    assert "All is well" in outcome.stdout
    assert list(tmp_path.iterdir()) == []


def test_it_runs_where_the_packages_of_the_harness_are_missing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HIDES_PACKAGES.format(root=str(ROOT))], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 2, done.stderr
    assert "-m pip install pydantic rich jinja2" in done.stdout
    assert "problem  python           cannot be started" in done.stdout
    assert "4 things need attention" in done.stdout


def test_an_interpreter_without_warp_is_named_with_what_to_do(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    outcome = run_command(["doctor", "--python", str(bare)], tmp_path)
    assert outcome.code == 2
    assert "problem  numpy            No module named 'numpy'" in outcome.stdout
    assert "fresh virtual environment: pip install warp-lang numpy" in outcome.stdout


def test_a_cache_folder_that_cannot_be_written_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = {**os.environ, "WARP_CACHE_PATH": str(tmp_path / "file" / "cache")}
    done = subprocess.run([*COMMAND, "doctor"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 2
    assert "problem" in done.stdout
    assert "WARP_CACHE_PATH=" in done.stdout


def test_an_interpreter_that_hangs_is_given_up(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    outcome = run_command(["doctor", "--python", str(slow), "--timeout", "0.5"], tmp_path)
    assert outcome.code == 2
    assert "the first step was still busy" in outcome.stdout
