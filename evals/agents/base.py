"""What every agent is."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from evals.corpus import StoredCase
from evals.result import Usage


@dataclass(frozen=True)
class AgentSpec:
    """Which agent, with which settings; crosses process boundaries."""

    name: str
    command: str = ""
    """Template of a command line, for ``command``."""
    options: tuple[str, ...] = ()
    """Further options of the command line, for ``engine`` and ``anthropic``."""
    timeout: float = 600.0
    """Seconds for one trial."""
    label: str = ""

    @property
    def shown(self) -> str:
        """Name in results and reports."""
        return self.label or self.name


@dataclass(frozen=True)
class Assignment:
    """One trial, as an agent sees it. Only scripted agents may look at ``stored``."""

    stored: StoredCase
    workspace: Path
    skill_place: str
    """The skill's folder, relative to the workspace; empty without one."""
    seed: int


@dataclass(frozen=True)
class Work:
    """What an agent did."""

    findings: str | None
    """Text of its findings; None: it left none."""
    usage: Usage = field(default_factory=Usage)
    transcript: str = ""
    failure: str = ""
    """How it ended, if not well. What it left counts all the same."""


class Agent(Protocol):
    """Diagnoses, and may mend, the program in a workspace."""

    @property
    def mends(self) -> bool:
        """Whether the workspace it leaves is to be measured."""

    def work(self, assignment: Assignment) -> Work:
        """Work in the workspace until done."""
