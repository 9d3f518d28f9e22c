"""What `verify` says of a fix: the program before it, the program after it, and every check between the two."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from harness.schema.evidence import Number
from harness.schema.exit_codes import ExitCode
from harness.schema.finding import Finding, NotAttributed
from harness.schema.model import Items, Model
from harness.schema.report import Cost, Tool
from harness.schema.vocabulary import CheckVerdict, ReportVerdict

VerificationVerdict = Literal["verified", "refuted", "undecided", "blocked"]
"""`verified`: every check passed. `refuted`: one failed. `undecided`: none failed, one could not be decided.
`blocked`: a program did not get to a gradient."""

CheckOutcome = Literal["passed", "failed", "undecided", "not-applicable"]

_BY_VERDICT: Final[dict[VerificationVerdict, ExitCode]] = {
    "verified": ExitCode.CORRECT,
    "refuted": ExitCode.WRONG,
    "undecided": ExitCode.UNDECIDED,
    "blocked": ExitCode.PROGRAM_FAILED,
}


class VerifyCheck(Model):
    """One question about the fix and its answer."""

    name: str
    """What has to hold, for example "gradient right after"."""
    outcome: CheckOutcome
    message: str
    numbers: Items[Number] = ()


class GradientNumbers(Model):
    """One consumed gradient against the measured derivative."""

    parameter: str
    iteration: NonNegativeInt
    start: str
    """Which parameter values the program started from: "as written", or "other values 1"."""
    autodiff: float
    measured: float
    interval: float | None = None
    """Half-width around `measured`."""
    ratio: float | None = None
    """`autodiff / measured`."""
    verdict: CheckVerdict


class ProgramNumbers(Model):
    """One of the two programs."""

    path: str
    """As it was given."""
    script: str
    """The script that was run, relative to a given folder; for a module its name."""
    verdict: ReportVerdict
    """Of its gradients at the parameter values as written."""
    summary: str
    gradients: Items[GradientNumbers] = ()
    elements: Items[GradientNumbers] = ()
    """Each element of small parameters by itself, as `params[2]`, where that was asked for."""
    findings: Items[Finding] = ()
    """Of the program after the fix: what is wrong still, and remarks."""
    not_attributed: NotAttributed | None = None
    objective: float | None = None
    """Objective of the first iteration, before the first update."""
    updates: int | None = None
    """Iterations of a run to the end; None where the program was not run to its end."""
    metric: float | None = None
    """The user's metric at the end of the run."""


class OtherValues(Model):
    """What a parameter started from, beside the values as written."""

    start: str
    """As in `GradientNumbers`."""
    parameter: str
    values: Items[float]
    """In the order of the array; of large arrays the first 64."""
    size: NonNegativeInt


class ConstantChange(Model):
    """A number in the source that differs between the two programs."""

    name: str
    """As the user wrote it: the variable, the keyword, or the call it is an argument of."""
    file: str
    line: PositiveInt
    """Line in the program after the fix."""
    before: str
    after: str


class Verification(Model):
    """Top of the contract of `verify`."""

    schema_version: Literal["1"] = "1"
    tool: Tool
    verdict: VerificationVerdict
    summary: str
    """One sentence; the verdict is printed before it and left out."""
    checks: Items[VerifyCheck]
    before: ProgramNumbers
    after: ProgramNumbers
    other_values: Items[OtherValues] = ()
    """Of the program after the fix."""
    overrides: dict[str, str] = Field(default_factory=dict)
    """Constants replaced with `--set` in both programs."""
    constants_changed: Items[ConstantChange] = ()
    files_added: Items[str] = ()
    files_deleted: Items[str] = ()
    files_changed: Items[str] = ()
    diff: str = ""
    """Unified, from before to after."""
    reproduce: Items[str] = ()
    """Commands that repeat the result."""
    cost: Cost

    @property
    def exit_code(self) -> ExitCode:
        """What the process returns."""
        return _BY_VERDICT[self.verdict]

    def check(self, name: str) -> VerifyCheck | None:
        """The check of that name."""
        return next((check for check in self.checks if check.name == name), None)
