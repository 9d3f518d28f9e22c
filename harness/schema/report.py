"""The report: everything a run of the harness has to say, as finished facts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeInt

from harness.schema.finding import Finding, NotAttributed, RuledOut
from harness.schema.model import Items, Model
from harness.schema.parameter import Parameter
from harness.schema.place import Location
from harness.schema.vocabulary import ReportVerdict


class Tool(Model):
    """The program that wrote the report."""

    name: str = "warp-debug-gradients"
    version: str


class Environment(Model):
    """The interpreter that ran the user's program. None: not installed there, or not reached."""

    python: str
    platform: str
    warp: str | None = None
    numpy: str | None = None
    torch: str | None = None
    device: str | None = None


class ProgramInfo(Model):
    """What was run."""

    script: str
    """Path of the script as it was given; for `-m MODULE` the name of the module."""
    argv: Items[str] = ()
    """Arguments of the script, without its own name."""
    overrides: dict[str, str] = Field(default_factory=dict)
    """Constants replaced with `--set`, as written on the command line."""
    iterations_observed: NonNegativeInt = 0


class Failure(Model):
    """Why a blocked program did not get to a gradient."""

    reason: str
    """Slug, for example "exception", "no-tape", "no-gradient-read" or "timeout"."""
    message: str
    traceback: str | None = None
    """The user's own traceback, with the frames of the harness taken out."""
    location: Location | None = None
    next_step: str = ""


class Cost(Model):
    """What the answer took."""

    seconds: float
    executions: NonNegativeInt
    """Runs of the user's program."""
    peak_memory: NonNegativeInt | None = None
    """Bytes, of the largest child process."""


class Report(Model):
    """Top of the contract."""

    schema_version: Literal["1"] = "1"
    tool: Tool
    verdict: ReportVerdict
    summary: str
    """One sentence: which derivative, where, how much. The verdict is printed before it and left out."""
    environment: Environment
    program: ProgramInfo
    parameters: Items[Parameter] = ()
    findings: Items[Finding] = ()
    ruled_out: Items[RuledOut] = ()
    not_attributed: NotAttributed | None = None
    failure: Failure | None = None
    """Only with the verdict `blocked`."""
    blind_spots: Items[str] = ()
    """What this run could not see."""
    reproduce: Items[str] = ()
    """Commands that repeat the result."""
    cost: Cost
