"""What an agent hands in: findings (the harness's report, or as much of it as the agent writes) and a workspace."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

MOST_LINES = 10
"""A place that spans more lines than this names none of them."""


class _Tolerant(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Place(_Tolerant):
    """A line or a few lines of a file."""

    file: str = ""
    line: int = 0
    end_line: int | None = None

    def lines(self) -> range:
        """The lines that are named; none if it is half a file."""
        end = max(self.end_line or self.line, self.line)
        return range(self.line, end + 1) if end - self.line < MOST_LINES else range(0)


class HandedFinding(_Tolerant):
    """One finding."""

    kind: str
    location: Place | None = None


class Claims(_Tolerant):
    """What the agent says it has done; None: it does not say."""

    fixed: bool | None = None
    verified: bool | None = None
    forward_unchanged: bool | None = None


class SelfReport(_Tolerant):
    """Effort, as far as the agent knows it."""

    commands: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class Findings(_Tolerant):
    """``findings.json``."""

    verdict: str = ""
    findings: tuple[HandedFinding, ...] = ()
    claims: Claims = Claims()
    usage: SelfReport = SelfReport()


@dataclass(frozen=True)
class HandedIn:
    """Everything that counts."""

    findings: Findings | None
    """None: nothing was handed in, or not in the agreed form."""
    problem: str = ""
    """Why there are no findings."""
    before: Mapping[str, str] = field(default_factory=dict)
    """Text files as staged."""
    after: Mapping[str, str] = field(default_factory=dict)
    """Text files as they came back."""
    lost: tuple[str, ...] = ()
    """Staged files, binary ones included, that are gone."""
    changed_binaries: tuple[str, ...] = ()

    @property
    def changed(self) -> list[str]:
        """Staged text files with other contents."""
        return sorted(n for n in self.before if n in self.after and self.before[n] != self.after[n])

    @property
    def new(self) -> list[str]:
        """Text files that were not staged."""
        return sorted(set(self.after) - set(self.before))


def parse(text: str | None) -> tuple[Findings | None, str]:
    """Findings from the text of a ``findings.json``, or why there are none."""
    if text is None:
        return None, "no findings.json was handed in"
    try:
        body: Any = json.loads(text)
        return Findings.model_validate(body), ""
    except (ValueError, ValidationError) as error:
        return None, f"findings.json is not in the agreed form: {str(error).splitlines()[0]}"
