"""The last line that a script rendered from a template prints: one answer, with the numbers behind it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeInt

from harness.schema.model import Items, Model
from harness.schema.report import Cost, Environment
from harness.schema.vocabulary import CheckVerdict, ReportVerdict


class ProbeCheck(Model):
    """One gradient beside a measurement of it: two values of the same directional derivative."""

    subject: str
    """What was compared, for example "d(loss)/d(gain)"."""
    verdict: CheckVerdict
    reason: str | None
    """Slug that says why nothing was decided, for example "noise_floor"."""
    autodiff: float | None
    """None where the gradient is not finite."""
    measured: float | None
    interval: float | None
    """Half-width around `measured`; None where no step size settles."""
    ratio: float | None
    """`autodiff / measured`."""
    h: float | None
    """Relative difference step of the chosen rung."""
    smallest_visible_error: float | None
    """Smallest relative error of the gradient that would have shown; 0.1 is 10 %."""
    eps_f: float
    """Noise floor of the objective, in its unit."""
    evaluations: NonNegativeInt


class ProbeResult(Model):
    """What a rendered script found out."""

    schema_version: Literal["1"]
    template: str
    verdict: ReportVerdict
    """`blocked`: the program failed, gave no gradient, or a variable of the script is wrong."""
    reason: str | None
    """Slug behind a verdict that needs one, for example "forward_changed" or "no_such_name"."""
    summary: str
    checks: Items[ProbeCheck]
    observations: Items[str]
    """Facts in words, each one sentence."""
    numbers: dict[str, float]
    """Facts as numbers, in the unit of the program."""
    environment: Environment
    cost: Cost
    rows: Items[dict[str, str | float | None]] = Field(default=())
    """A table, for example the verdict of each horizon."""
