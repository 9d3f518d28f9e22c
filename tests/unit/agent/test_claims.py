"""What the model claims against what was measured, and the exit code."""

from __future__ import annotations

from typing import Any

import pytest

from harness.agent.claims import judge
from harness.agent.outcome import AgentExit, conclude
from harness.agent.submission import Submission
from harness.schema import (
    Cost,
    Environment,
    Finding,
    Location,
    NotAttributed,
    ProgramInfo,
    Related,
    Report,
    RuledOut,
    Tool,
    Verification,
)
from harness.schema.verification import ProgramNumbers, VerifyCheck
from harness.verify.constants import CONSTANTS
from harness.verify.gradients import WRONG_BEFORE

TOOL = Tool(version="0")
OVERWRITE = Finding(
    kind="array-overwrite",
    confidence="proven",
    title="",
    message="",
    location=Location(file="train.py", line=40),
    related=[Related(file="train.py", line=20, role="reader")],
)


def report(verdict: Any = "wrong", findings: Any = (OVERWRITE,), **more: Any) -> Report:
    environment = Environment(python="3", platform="linux")
    cost = Cost(seconds=1, executions=1)
    return Report(
        tool=TOOL, verdict=verdict, summary="d(loss)/d(x)", environment=environment, findings=findings,
        program=ProgramInfo(script="train.py"), cost=cost, **more,
    )  # fmt: skip


def verification(verdict: Any, *failed: str, after: Any = "correct") -> Verification:
    checks = [VerifyCheck(name=name, outcome="failed", message="no") for name in failed]
    programs = [ProgramNumbers(path="x", script="train.py", verdict=v, summary="") for v in ("wrong", after)]
    cost = Cost(seconds=1, executions=1)
    return Verification(
        tool=TOOL, verdict=verdict, summary="so", checks=checks, before=programs[0], after=programs[1], cost=cost
    )


def submission(
    verdict: Any = "wrong", kind: Any = "array-overwrite", line: int = 40, fixed: bool = False
) -> Submission:
    finding = {"kind": kind, "file": "train.py", "line": line, "explanation": "x"}
    return Submission.model_validate(
        {
            "verdict": verdict,
            "summary": "x",
            "findings": [finding] if kind else [],
            "fix": {"files": ["train.py"], "explanation": "x"} if fixed else None,
        }
    )


def states(*given: Any) -> list[str]:
    return [claim.state for claim in judge(*given)]


@pytest.mark.parametrize(
    ("claimed", "measured", "state"),
    [
        ("wrong", "wrong", "holds"),
        ("correct", "wrong", "does not hold"),
        ("wrong", "correct", "does not hold"),
        ("undecided", "wrong", "does not hold"),
        ("correct", "undecided", "not checked"),
        ("blocked", "correct", "does not hold"),
    ],
)
def test_a_verdict_holds_only_if_it_is_measured(claimed: str, measured: str, state: str) -> None:
    assert states(submission(claimed, kind=None), report(measured), [], None) == [state]


@pytest.mark.parametrize(("line", "state"), [(40, "holds"), (42, "holds"), (20, "holds"), (30, "does not hold")])
def test_a_cause_holds_at_a_place_that_takes_part_in_it(line: int, state: str) -> None:
    assert states(submission(line=line), report(), [], None)[1] == state


def test_a_cause_that_was_ruled_out_does_not_hold() -> None:
    excluded = report(ruled_out=[RuledOut(kind="stale-gradient", why="fresh")])
    assert states(submission(kind="stale-gradient"), excluded, [], None)[1] == "does not hold"
    masked = report(
        ruled_out=[RuledOut(kind="stale-gradient", why="fresh")], not_attributed=NotAttributed(what="a part")
    )
    assert states(submission(kind="stale-gradient"), masked, [], None)[1] == "not checked"


def test_a_defect_in_a_correct_program_does_not_hold() -> None:
    assert states(submission("correct"), report("correct", ()), [], None) == ["holds", "does not hold"]


def test_a_second_fault_that_showed_during_the_work_holds() -> None:
    first = report(findings=[OVERWRITE.model_copy(update={"kind": "severed-chain"})])
    assert states(submission(line=44), first, [report()], None)[1] == "holds"


@pytest.mark.parametrize(
    ("result", "state"),
    [
        (verification("verified"), "holds"),
        (verification("refuted", "forward values unchanged"), "does not hold"),
        (verification("undecided"), "not checked"),
        (verification("blocked", after="blocked"), "does not hold"),
        (None, "not checked"),
    ],
)
def test_a_fix_holds_only_if_it_is_verified(result: Verification | None, state: str) -> None:
    assert states(submission(fixed=True), report(), [], result)[2] == state


def test_a_change_of_the_rate_of_a_correct_program_is_no_fix_of_its_gradient() -> None:
    result = verification("refuted", WRONG_BEFORE, CONSTANTS)
    claims = judge(submission("correct", kind=None, fixed=True), report("correct", ()), [], result)
    assert [claim.state for claim in claims] == ["holds", "not checked"]
    assert conclude("submitted", claims, report("correct", ()), result)[0] is AgentExit.CORRECT


@pytest.mark.parametrize(
    ("ended", "given", "measured", "result", "code"),
    [
        ("submitted", submission(fixed=True), report(), verification("verified"), AgentExit.FIXED),
        ("submitted", submission(), report(), None, AgentExit.UNSOLVED),
        ("submitted", submission(fixed=True), report(), verification("undecided"), AgentExit.UNSOLVED),
        ("submitted", submission("correct", kind=None), report("correct", ()), None, AgentExit.CORRECT),
        ("submitted", submission("blocked", kind=None), report("blocked", ()), None, AgentExit.PROGRAM_FAILED),
        ("submitted", submission("undecided", kind=None), report("undecided", ()), None, AgentExit.UNSOLVED),
        ("submitted", submission("correct", kind=None), report(), None, AgentExit.CLAIM_REFUTED),
        ("submitted", submission("correct", kind=None), None, None, AgentExit.UNSOLVED),
        ("limit", None, report("correct", ()), None, AgentExit.STOPPED),
        ("limit", None, report(), verification("verified"), AgentExit.STOPPED),
    ],
)
def test_the_exit_code_follows_what_holds(
    ended: str, given: Submission | None, measured: Report | None, result: Verification | None, code: AgentExit
) -> None:
    claims = judge(given, measured, [], result) if given else []
    assert conclude(ended, claims, measured, result)[0] is code
