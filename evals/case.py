"""The format of a case: ``case.json``, validated strictly. `evals/README.md` shows how to write one.

A case is a folder:

    case.json      this format
    files/         everything that is staged, and nothing else
    fix.patch      unified diff that mends ``files/``; absent for a control
    reference.py   the objective in float64 numpy, see `evals.truth`
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, StringConstraints, model_validator

from harness.schema.vocabulary import Cause, DefectKind, KindName, Mechanism, NonDefectKind

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Pattern = Annotated[str, StringConstraints(pattern=r"\{\}")]
"""Printed text in which ``{}`` stands for the number that counts and ``{_}`` for any other number."""
Verdict = Literal["wrong", "correct", "undecided"]


class Model(BaseModel):
    """Base of everything in ``case.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Lines(Model):
    """Lines of one staged file; pointing at any of them is right."""

    file: Text
    lines: tuple[PositiveInt, ...] = Field(min_length=1)


class ExpectedCause(Lines):
    """A defect of the gradient."""

    kind: DefectKind
    why: Text
    """What goes wrong, for the reader of a report."""
    also_kinds: tuple[KindName, ...] = ()
    """Other names that are right for it."""
    elsewhere: tuple[Lines, ...] = ()
    """Right places in further files."""
    hidden_behind: DefectKind | None = None
    """It has no effect until the defect of this kind is mended; naming it beforehand is right but not required."""
    blocks: tuple[PositiveInt, ...] = ()
    """Changes of ``fix.patch`` that mend this cause alone, as `inspect-case` numbers them. With several causes
    `validate` shows with their help that each one is visible when all others are mended."""
    mechanism: Mechanism | None = None
    cause: Cause | None = None


class ExpectedRemark(Model):
    """Something that is not a defect of the gradient."""

    kind: NonDefectKind
    required: bool = False
    """It has to be named; otherwise it may be."""
    places: tuple[Lines, ...] = ()


class Expected(Model):
    """The right answer."""

    verdict: Verdict
    accepted: tuple[Verdict, ...] = ()
    """Further verdicts that are right."""
    causes: tuple[ExpectedCause, ...] = ()
    remarks: tuple[ExpectedRemark, ...] = ()

    @model_validator(mode="after")
    def _causes_fit_the_verdict(self) -> Expected:
        if (self.verdict == "wrong") != bool(self.causes):
            raise ValueError("a wrong gradient has causes, and no other verdict has any")
        visible = {c.kind for c in self.causes if c.hidden_behind is None}
        for cause in self.causes:
            if cause.hidden_behind is not None and cause.hidden_behind not in visible:
                raise ValueError(f"{cause.kind} is hidden behind {cause.hidden_behind}, which is no visible cause")
        return self

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All right verdicts."""
        return (self.verdict, *self.accepted)


class Parameter(Model):
    """A parameter of `reference.objective` and how to know it among the arrays whose gradient the program consumes."""

    name: Text
    """Key in the dictionary that the reference takes."""
    shape: tuple[PositiveInt, ...]
    """Shape of its contents as numpy sees them: 5 x vec3 is (5, 3)."""
    names: tuple[Text, ...] = ()
    """Names in the program, as the harness reports them (``params``, ``self.gain``); default: ``name``."""
    location: str = ""
    """``file:line`` that makes it in the staged files; decides between arrays of the same name."""
    spread: PositiveFloat = 0.1
    """Unseen values lie this far from the given ones, relative to their size."""
    low: float | None = None
    high: float | None = None
    """Bounds that unseen values keep."""


class Metric(Model):
    """What the user complains about: a number that the whole program prints."""

    pattern: Pattern
    better: Literal["lower", "higher"] = "lower"
    threshold: float
    """Reached with the fix, missed without it."""
    take: Literal["last", "first", "best"] = "last"


class Forward(Model):
    """Forward values at iteration 0: by default the losses that backward runs on, summed over the iteration."""

    pattern: Pattern | None = None
    """Compare the first number printed like this instead (manual seeds, losses off the tape)."""
    tolerance: PositiveFloat = 1e-3
    """Relative difference from the reference that float32 may have."""


class Truth(Model):
    """How the consumed gradient is compared with the reference."""

    tolerance: PositiveFloat = 0.01
    """Relative error that a right gradient may have in float32."""
    visible: PositiveFloat = 0.05
    """Relative error that the fault has at least, at one of the iterations."""
    iterations: PositiveInt = 3
    """Iterations that are compared, from the first."""
    absent: str = ""
    """Why there is no comparable gradient (random from run to run, chaotic); empty: there is."""
    forward: Forward = Forward()


class Decoy(Model):
    """Right code that looks suspicious: it must stay as it is."""

    file: Text
    snippet: Text


class WarpRange(Model):
    """Versions of Warp on which the case holds, both inclusive; None: no bound."""

    min: str | None = None
    max: str | None = None


class Case(Model):
    """One case; see the module."""

    id: Slug
    title: Text
    family: Slug
    """Cases made from the same program share it: they are not independent evidence."""
    prompt: Text
    """The user's words."""
    entry: Text
    argv: tuple[str, ...] = ()
    expected: Expected
    tags: tuple[Slug, ...] = ()
    warp: WarpRange = WarpRange()
    needs: tuple[Text, ...] = ()
    """Packages beyond warp and numpy."""
    parameters: tuple[Parameter, ...]
    truth: Truth = Truth()
    metric: Metric | None = None
    metric_absent: str = ""
    """Why no number that the program prints tells a mended one (wrong gradient) or an unspoilt one (right gradient)."""
    probes: tuple[int, ...] = (1,)
    """Seeds of the unseen parameter values that `validate` uses; a run draws its own."""
    decoys: tuple[Decoy, ...] = ()
    protected: tuple[Text, ...] = ()
    """Glob patterns of Python files that a fix has no business in; other files and tests always are."""

    @model_validator(mode="after")
    def _parameters_are_there(self) -> Case:
        if not self.parameters and not self.truth.absent:
            raise ValueError("name the parameters of the reference, or say in truth.absent why there is none")
        if self.metric is not None and self.metric_absent:
            raise ValueError("there is a metric, and metric_absent says why there is none")
        if len({p.name for p in self.parameters}) < len(self.parameters):
            raise ValueError("two parameters have the same name")
        return self
