"""Exit codes of the command line. Inconclusive is never 0."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from harness.schema.report import Report
from harness.schema.vocabulary import ReportVerdict


class ExitCode(IntEnum):
    """What the process returns."""

    CORRECT = 0
    WRONG = 1
    USAGE = 2
    """A mistake on the command line, or a failure of the harness itself."""
    UNDECIDED = 3
    PROGRAM_FAILED = 4
    """The user's program failed, or used no gradient."""


_BY_VERDICT: Final[dict[ReportVerdict, ExitCode]] = {
    "correct": ExitCode.CORRECT,
    "wrong": ExitCode.WRONG,
    "undecided": ExitCode.UNDECIDED,
    "blocked": ExitCode.PROGRAM_FAILED,
}


def exit_code(report: Report) -> ExitCode:
    """Return the exit code that belongs to the verdict of `report`."""
    return _BY_VERDICT[report.verdict]
