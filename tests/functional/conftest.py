"""The fixture that runs the real command on a program."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from driving import Diagnose, Outcome, run_command
from rendered_scripts import Rendered


@pytest.fixture
def diagnose(tmp_path: Path) -> Diagnose:
    """``diagnose(program, *options)``: a path, or the text of a program that is written to `program.py`."""

    def run(
        program: str | Path | None, *options: str, cwd: Path | None = None, temporary: Path | None = None
    ) -> Outcome:
        cwd = cwd or tmp_path
        if isinstance(program, str):
            (cwd / "program.py").write_text(textwrap.dedent(program))
            program = Path("program.py")
        given = [] if program is None else [str(program)]
        options = options if "--format" in options else ("--format", "json", *options)
        return run_command([*given, *options], cwd, temporary)

    return run


@pytest.fixture
def rendered(tmp_path: Path) -> Rendered:
    """Renders templates into a folder that holds `functions.py`, and runs them there."""
    return Rendered(tmp_path)
