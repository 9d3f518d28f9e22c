"""Renders a template with the real command and runs the script on small programs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from driving import ROOT, Outcome, run_command

from harness.schema import ProbeResult

CASES = ROOT / "tests" / "programs" / "shared"
FUNCTIONS = ROOT / "tests" / "programs" / "functions.py"
CODES = {"correct": 0, "wrong": 1, "undecided": 3, "blocked": 4}


class Rendered:
    """A rendered script and the folder it is run in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copy(FUNCTIONS, folder)

    def render(self, name: str, *options: str, **variables: Any) -> Outcome:
        settings = [part for key, value in variables.items() for part in ("--set", f"{key}={value}")]
        return run_command(["render", name, *settings, *options], self.folder)

    def run(self, name: str, spoilt: tuple[str, str] | None = None, **variables: Any) -> tuple[ProbeResult, int, str]:
        """The answer, the exit code and the whole output of a template; `spoilt`: a text in it and another."""
        done = self.render(name, "--output", "probe.py", "--force", **variables)
        assert done.code == 0, done.stderr
        if spoilt is not None:
            script = self.folder / "probe.py"
            assert spoilt[0] in script.read_text()
            script.write_text(script.read_text().replace(*spoilt))
        ran = subprocess.run(
            [sys.executable, "probe.py"], cwd=self.folder, capture_output=True, text=True, timeout=240, check=False
        )
        assert "Traceback" not in ran.stdout + ran.stderr
        answer = ProbeResult.model_validate_json(ran.stdout.splitlines()[-1])
        assert answer.template == name
        return answer, ran.returncode, ran.stdout

    def verdict(self, name: str, **variables: Any) -> ProbeResult:
        """The answer, whose exit code is that of its verdict."""
        answer, code, output = self.run(name, **variables)
        assert code == CODES[answer.verdict], output
        return answer
