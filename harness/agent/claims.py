"""What the model claimed, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from harness.agent.submission import ClaimedFinding, Submission
from harness.schema import DEFECT_KINDS, Finding, Location, Report, Verification
from harness.schema.model import Model

_NEAR_LINES = 3
# Checks of a verification that have to fail where the gradient was right from the start.
_WITHOUT_A_FAULT = {"gradient wrong before", "not a change of constants"}

State = Literal["holds", "does not hold", "not checked"]


class Claim(Model):
    """One statement and what became of it."""

    what: Literal["verdict", "finding", "fix"]
    claimed: str
    state: State
    because: str
    """What was measured."""


def judge(
    submission: Submission, report: Report | None, later: Sequence[Report], verification: Verification | None
) -> list[Claim]:
    """Every claim of a submission.

    Args:
        report: diagnosis of the original program; None if there is none.
        later: diagnoses of the program as it was during the work; a fault may only show when another one is gone.
        verification: of the fix; None if there is no fix or no result.
    """
    claims = [_verdict(submission, report)]
    claims += [_finding(finding, report, later) for finding in submission.findings]
    if submission.fix is not None:
        claims.append(_fix(submission, report, verification))
    return claims


def _verdict(submission: Submission, report: Report | None) -> Claim:
    claimed = submission.verdict
    if report is None:
        return Claim(what="verdict", claimed=claimed, state="not checked", because="the diagnosis gave no result")
    if report.verdict == claimed:
        return Claim(what="verdict", claimed=claimed, state="holds", because=report.summary)
    because = f"measured as {report.verdict}: {report.summary}"
    if report.verdict == "undecided":
        return Claim(what="verdict", claimed=claimed, state="not checked", because=because)
    return Claim(what="verdict", claimed=claimed, state="does not hold", because=because)


def _finding(claimed: ClaimedFinding, report: Report | None, later: Sequence[Report]) -> Claim:
    state, because = _finding_state(claimed, report, later)
    return Claim(
        what="finding",
        claimed=f"{claimed.kind or 'a cause'} at {claimed.file}:{claimed.line}",
        state=state,
        because=because,
    )


def _finding_state(claimed: ClaimedFinding, report: Report | None, later: Sequence[Report]) -> tuple[State, str]:
    if report is None:
        return "not checked", "the diagnosis gave no result"
    if claimed.kind is None:
        return "not checked", "no measurement for a cause without a name"
    same = [finding for finding in report.findings if finding.kind == claimed.kind]
    for finding in same:
        if any(_is_near(claimed, place) for place in _places(finding)):
            return "holds", f"{finding.kind} [{finding.confidence}] at {finding.location or claimed.file}"
    if same:
        places = ", ".join(str(finding.location) for finding in same)
        return "does not hold", f"{claimed.kind} is measured at {places} instead"
    for stage in later:
        for finding in stage.findings:
            if finding.kind == claimed.kind and any(place.file == claimed.file for place in _places(finding)):
                return (
                    "holds",
                    f"{finding.kind} [{finding.confidence}], seen during the work once other faults were gone",
                )
    excluded = next((out for out in report.ruled_out if out.kind == claimed.kind), None)
    if excluded is not None and report.not_attributed is None:
        return "does not hold", f"ruled out: {excluded.why}"
    if report.verdict == "correct" and claimed.kind in DEFECT_KINDS:
        return "does not hold", "the gradients of the original program are correct"
    return "not checked", "the diagnosis neither shows it nor rules it out"


def _places(finding: Finding) -> Iterable[Location]:
    return [*([finding.location] if finding.location else []), *finding.related]


def _is_near(claimed: ClaimedFinding, place: Location) -> bool:
    last = place.end_line or place.line
    return place.file == claimed.file and place.line - _NEAR_LINES <= claimed.line <= last + _NEAR_LINES


def _fix(submission: Submission, report: Report | None, verification: Verification | None) -> Claim:
    assert submission.fix is not None
    state, because = _fix_state(report, verification)
    return Claim(what="fix", claimed=f"fixed in {', '.join(submission.fix.files)}", state=state, because=because)


def _failed(verification: Verification) -> set[str]:
    return {check.name for check in verification.checks if check.outcome == "failed"}


def _fix_state(report: Report | None, verification: Verification | None) -> tuple[State, str]:
    if verification is None:
        return "not checked", "the verification gave no result"
    because = f"{verification.verdict}: {verification.summary}"
    if verification.verdict == "verified":
        return "holds", because
    if report is not None and report.verdict == "correct" and _failed(verification) <= _WITHOUT_A_FAULT:
        return "not checked", "the gradient was right before, so there is nothing of it to fix"
    if verification.verdict == "refuted" or (
        verification.verdict == "blocked" and verification.after.verdict == "blocked"
    ):
        return "does not hold", because
    return "not checked", because
