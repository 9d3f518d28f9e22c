"""Gradient wrong before, right after."""

from __future__ import annotations

from ..schema import Report, VerifyCheck

WRONG_BEFORE = "gradient wrong before"
RIGHT_AFTER = "gradient right after"


def wrong_before(report: Report) -> VerifyCheck:
    """A fix of a gradient starts from a wrong one."""
    if report.verdict == "wrong":
        return VerifyCheck(name=WRONG_BEFORE, outcome="passed", message=report.summary)
    if report.verdict == "correct":
        message = "The gradient was already correct; whatever was fixed was not the gradient."
        return VerifyCheck(name=WRONG_BEFORE, outcome="failed", message=message)
    return VerifyCheck(name=WRONG_BEFORE, outcome="undecided", message=report.summary)


def right_after(report: Report) -> VerifyCheck:
    """After the fix every consumed gradient agrees with the measured derivative."""
    outcome = {"correct": "passed", "wrong": "failed", "blocked": "failed"}.get(report.verdict, "undecided")
    return VerifyCheck.model_validate({"name": RIGHT_AFTER, "outcome": outcome, "message": report.summary})
