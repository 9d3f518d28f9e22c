"""What was found: a named cause, its place, its evidence, and what to do about it."""

from __future__ import annotations

from harness.schema.evidence import Evidence
from harness.schema.model import Items, Model
from harness.schema.place import Location, Related
from harness.schema.vocabulary import Cause, Confidence, KindName, Mechanism


class WithoutNumbers(Model):
    """The derivative as the program computes it, beside the measured one."""

    autodiff: float
    measured: float


class WithIntervention(Model):
    """The same pair while an intervention is on."""

    name: str
    """What the intervention does, for example "restore recorded contents"."""
    autodiff: float
    measured: float


class Finding(Model):
    """One cause of a wrong or unhelpful gradient."""

    kind: KindName
    confidence: Confidence
    title: str
    """A few words for a list of results."""
    message: str
    """What happens, where, and how much, in one or two sentences."""
    remedy: str = ""
    """One concrete edit. Empty where none is known; `next_step` then says how to learn more."""
    next_step: str = ""
    """One concrete command or experiment."""
    location: Location | None = None
    """The line to edit. None where the cause has no single line."""
    related: Items[Related] = ()
    parameters: Items[str] = ()
    """Names of the parameters whose gradient is affected."""
    evidence: Items[Evidence] = ()
    """The most telling first; short reports show only the first few."""
    without: WithoutNumbers | None = None
    with_intervention: WithIntervention | None = None
    mechanism: Mechanism | None = None
    """Only with `array-overwrite`."""
    cause: Cause | None = None
    """Only with `severed-chain`."""


class RuledOut(Model):
    """A kind that was tested and does not explain the disagreement."""

    kind: KindName
    why: str


class NotAttributed(Model):
    """A disagreement, or a part of one, that no finding explains."""

    what: str
    tried: Items[str] = ()
