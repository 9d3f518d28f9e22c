"""What the model hands in at the end. Claims: each is measured again before anything is said about it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PositiveInt, StringConstraints

from harness.schema.model import Items, Model
from harness.schema.vocabulary import KindName, ReportVerdict

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
Path = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class ClaimedFinding(Model):
    """One cause."""

    kind: KindName | None = Field(None, description="Name of the kind, as `explain` lists them; null for another cause")
    file: Path = Field(description="File of the line at fault, relative to the workspace")
    line: PositiveInt = Field(description="The line at fault in the file as it was before any edit")
    explanation: Words = Field(description="What happens there and how the numbers show it")


class ClaimedFix(Model):
    """Edits in the workspace that are to become the patch."""

    files: Annotated[Items[Path], Field(min_length=1, max_length=50)] = Field(
        description="The changed files that make up the fix, relative to the workspace; no scratch files"
    )
    explanation: Words = Field(description="What the edits change and why")


class Submission(Model):
    """The end of the work."""

    verdict: ReportVerdict = Field(
        description="Of the program as it was: `wrong`, `correct`, `undecided`, or `blocked` if it got to no gradient"
    )
    summary: Words = Field(description="The answer to the complaint in a few sentences, with numbers")
    findings: Annotated[Items[ClaimedFinding], Field(max_length=20)] = ()
    fix: ClaimedFix | None = Field(None, description="Null if nothing was fixed")
