"""What one trial leaves behind: plain data, one line of JSONL each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

FORMAT_VERSION = 1

Part = Literal["verdict", "causes", "place", "fix"]
PARTS: tuple[Part, ...] = ("verdict", "causes", "place", "fix")


class Record(BaseModel):
    """Base of what is stored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ScoredCheck(Record):
    """One question about what was handed in."""

    name: str
    part: Part | Literal["note"]
    """Notes are shown and count nowhere."""
    value: float
    """From 0 to 1."""
    detail: str = ""

    @property
    def passed(self) -> bool:
        """Fully."""
        return self.value >= 1.0


class NamedFinding(Record):
    """A finding that was handed in, beside what it was taken for."""

    kind: str
    file: str = ""
    line: int = 0
    is_right: bool
    """It names an expected cause or an expected remark."""
    is_placed: bool = False
    """Its place is one of the right ones."""
    is_false_defect: bool = False


class CauseOutcome(Record):
    """What became of one expected cause."""

    kind: str
    is_hidden: bool
    named: bool
    placed: bool


class Usage(Record):
    """What the trial took. None: not known."""

    seconds: float = 0.0
    commands: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    """US dollars."""


class TrialResult(Record):
    """One trial: one agent with one arm on one case, once."""

    format_version: int = FORMAT_VERSION
    case: str
    family: str
    title: str
    agent: str
    arm: str
    trial: int
    seed: int
    expected_verdict: str
    tags: tuple[str, ...] = ()
    status: Literal["scored", "unscored", "skipped"] = "scored"
    reason: str = ""
    """Why it could not be scored or was skipped (this machine lacks something), or how the agent failed."""
    given_verdict: str = ""
    checks: tuple[ScoredCheck, ...] = ()
    findings: tuple[NamedFinding, ...] = ()
    causes: tuple[CauseOutcome, ...] = ()
    contradicted: tuple[str, ...] = ()
    """Claims that the re-measurement contradicts."""
    score: float | None = None
    solved: bool | None = None
    usage: Usage = Usage()
    scoring_seconds: float = 0.0
    new_files: tuple[str, ...] = ()
    diff: str = ""
    handed_in: str = ""
    """The findings as they were handed in."""
    transcript: str = ""
    """Tail of what the agent printed."""
    warp: str = ""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What makes a trial the same trial."""
        return (self.case, self.agent, self.arm, self.trial)

    @property
    def false_defects(self) -> int:
        """Defects named that are not there."""
        return sum(f.is_false_defect for f in self.findings)

    def part(self, part: Part) -> float | None:
        """Value of one part; None where the case or the agent has none."""
        return part_value(self.checks, part)


def part_value(checks: Sequence[ScoredCheck], part: Part) -> float | None:
    """Mean of the checks of one part; None without any.

    A fix is right or it is not: a right gradient in a damaged workspace is no half a fix.
    """
    values = [c.value for c in checks if c.part == part]
    if not values:
        return None
    return float(min(values) >= 1.0) if part == "fix" else sum(values) / len(values)
