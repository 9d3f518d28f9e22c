"""Runs commands with their cost, and prints the tables of figures at the end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.schema import Report

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
CASES = ROOT / "tests" / "programs" / "shared"


@dataclass(frozen=True)
class Cost:
    """What a command and everything it started took."""

    output: str
    wall_s: float
    cpu_s: float
    peak_mib: float
    """Of the largest process."""

    @property
    def report(self) -> Report:
        """The report on standard output."""
        return Report.model_validate_json(self.output)


def run(arguments: list[str]) -> Cost:
    """`python ARGUMENTS` from the project's folder; the exit code is not looked at."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as messages:
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=messages
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - started
        output.seek(0)
        messages.seek(0)
        text, said = output.read(), messages.read()
    assert text.strip() or process.returncode == 0, said
    return Cost(text, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def judged(program: Path, *arguments: str) -> Cost:
    """One diagnosis."""
    return run(["-m", "harness.run", "--format", "json", "--quiet", str(program), "--", *arguments])


Table = Callable[[str], None]


@pytest.fixture(scope="session")
def table() -> Iterator[Table]:
    """Collects lines, printed once everything has run."""
    lines: list[str] = []
    yield lines.append
    print("\n\n" + "\n".join(lines))
