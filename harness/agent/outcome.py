"""The result of a run, and its exit code."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

from pydantic import NonNegativeInt

from harness.agent.claims import Claim
from harness.agent.submission import Submission
from harness.schema import Report, Tool, Verification
from harness.schema.model import Items, Model


class AgentExit(IntEnum):
    """Exit codes of the agent; 0 to 4 mean what they mean for a diagnosis."""

    CORRECT = 0
    FIXED = 1
    """The gradient is wrong, and a verified fix is shown."""
    FAILED = 2
    UNSOLVED = 3
    """Undecided, or wrong without a verified fix."""
    PROGRAM_FAILED = 4
    CLAIM_REFUTED = 5
    """Something that the model claimed does not hold."""
    STOPPED = 6
    """The conversation ended before findings were handed in."""


class Usage(Model):
    """What the run took."""

    replies: NonNegativeInt
    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    cache_write_tokens: NonNegativeInt
    cache_read_tokens: NonNegativeInt
    cost: float
    """US dollars."""
    seconds: float


class Outcome(Model):
    """All there is to say."""

    schema_version: Literal["1"] = "1"
    tool: Tool
    model: str
    exit_code: int
    summary: str
    """One sentence of the harness, never of the model."""
    ended: str
    """Why the conversation ended: "submitted", "limit", "interrupted", "refused", "silent", "service" or "context"."""
    ended_detail: str = ""
    submission: Submission | None = None
    claims: Items[Claim] = ()
    report: Report | None = None
    """Diagnosis of the program as the user left it."""
    verification: Verification | None = None
    not_measured: Items[str] = ()
    """Measurements that gave no result, and why."""
    patch: str = ""
    applied: Items[str] = ()
    """Files of the user's that were changed with ``--apply``."""
    other_changes: Items[str] = ()
    """Files that the model changed and that are not in the patch."""
    usage: Usage
    run_folder: str
    next_steps: Items[str] = ()
    """Commands."""


def conclude(
    ended: str, claims: list[Claim], report: Report | None, verification: Verification | None
) -> tuple[AgentExit, str]:
    """Exit code and summary."""
    refuted = [claim for claim in claims if claim.state == "does not hold"]
    is_verified = verification is not None and verification.verdict == "verified"
    if refuted:
        first = refuted[0]
        more = f"; {len(refuted) - 1} more" if len(refuted) > 1 else ""
        return AgentExit.CLAIM_REFUTED, f"The claim `{first.claimed}` does not hold: {first.because}{more}."
    if ended != "submitted":
        kept = " What was edited is verified." if is_verified else ""
        if ended == "interrupted":
            return AgentExit.STOPPED, "The work was interrupted; what was done is kept."
        return AgentExit.STOPPED, f"The work ended before findings were handed in.{kept}"
    if report is None:
        return AgentExit.UNSOLVED, "The original program could not be measured."
    if report.verdict == "correct":
        return AgentExit.CORRECT, "The gradients are correct, as claimed and as measured."
    if report.verdict == "blocked":
        return AgentExit.PROGRAM_FAILED, f"The program does not get to a gradient: {report.summary}"
    if report.verdict == "undecided":
        return AgentExit.UNSOLVED, f"The measurement cannot decide: {report.summary}"
    if is_verified:
        return AgentExit.FIXED, "The gradient is wrong; the fix below is verified."
    if verification is None:
        return AgentExit.UNSOLVED, "The gradient is wrong, and there is no fix."
    return AgentExit.UNSOLVED, "The gradient is wrong, and the fix could not be verified."
