"""What the rest of the harness sees of running programs: a session starts runs, and a paused run answers questions.

`live.LiveSession` does it with processes, `journal.JournaledSession` keeps the answers in a file or repeats them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..record.events import Recording
from ..record.plan import Objective, Plan


class ExecutionFailed(Exception):
    """The harness could not run the program at all; ``reason`` is a slug, the text one sentence with what to do."""

    def __init__(self, reason: str, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True)
class Target:
    """The program under test."""

    script: str | None
    module: str | None
    argv: tuple[str, ...]
    cwd: str
    overrides: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """How messages name the program."""
        return self.script or f"-m {self.module}"


@dataclass(frozen=True)
class Limits:
    """Bounds on every child."""

    seconds: float = 300.0
    memory: int | None = None
    """Bytes of private memory."""
    jobs: int = 2
    allow_writes: bool = False
    fork: bool = True


@dataclass(frozen=True)
class EvaluationResult:
    """One forward run: the objective's terms, or why there are none."""

    status: str
    values: tuple[float, ...] = ()
    structure: str | None = None
    scalars: dict[str, float] = field(default_factory=dict)
    """What the program reports at the end of the iteration, where the objective asks for it."""


class Run(Protocol):
    """One execution in progress. The requests are for a run that stands at a pause of its plan."""

    def wait(self, seconds: float, on_wait: Callable[[], None] | None = None) -> dict[str, Any] | None:
        """The next message of the run; None once it ended."""

    def contents(self, buffer: str) -> np.ndarray | None:
        """Contents of an array where the program stands."""

    def evaluate(
        self, buffer: str, points: list[np.ndarray | None], objective: Objective, timeout: float
    ) -> list[EvaluationResult]:
        """Run on from here once per point, with the parameter set to it; None leaves it as it is."""

    def record_from_here(self, iterations: int, timeout: float) -> Recording | None:
        """Go on recording from here, in a fork, up to the end of iteration ``iterations - 1``."""

    def local(self, seed: int, seconds: float, timeout: float) -> dict[str, Any]:
        """Check the launch the program is about to run, in a fork of it; ``status`` is "ok" if it came through."""

    def resume(self) -> None:
        """Let the paused program go on to the next pause."""

    def close(self) -> None:
        """End the run."""


class Session(Protocol):
    """Runs one program as often as needed."""

    @property
    def target(self) -> Target:
        """The program."""

    @property
    def limits(self) -> Limits:
        """Bounds on every run."""

    @property
    def scratch(self) -> Path:
        """A folder for files that runs read; removed at the end."""

    @property
    def can_fork(self) -> bool:
        """True if children are forked from one worker rather than started afresh."""

    @property
    def executions(self) -> int:
        """Executions so far, forks included."""

    @property
    def worker_info(self) -> dict[str, Any]:
        """What the worker said about its interpreter: ``python``, ``platform``, ``warp``."""

    def clock(self) -> float:
        """Seconds on a clock that decisions about effort go by."""

    def start(self, plan: Plan) -> Run:
        """Start one execution of the program under a plan."""

    def record(self, plan: Plan, on_wait: Callable[[], None] | None = None, seconds: float | None = None) -> Recording:
        """Run the program to the plan's end, or for ``seconds`` (the limit), and load what was recorded.

        Raises:
            ExecutionFailed: the process died without writing a recording.
        """

    def evaluate_afresh(
        self, event: int, buffer: str, points: list[np.ndarray | None], objective: Objective
    ) -> list[EvaluationResult]:
        """Evaluations without fork: the program from its beginning, once per point, perturbed before ``event``."""
