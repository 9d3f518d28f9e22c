"""A run of a program to its end, as it is by itself: what it prints, and the loss of every backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..execute.session import ExecutionFailed, Session
from ..record.events import Recording
from ..record.plan import Plan

_WITHOUT_END = 10**9


@dataclass(frozen=True)
class WholeRun:
    """What came of it."""

    status: str
    """"completed", "exit", "timeout", "error", "crashed"."""
    detail: str
    output: str
    losses: tuple[float | None, ...]
    """One per backward pass."""
    seconds: float

    @property
    def is_whole(self) -> bool:
        """True if the program came to its end by itself."""
        return self.status == "completed" or (self.status == "exit" and self.detail in ("", "0"))

    @property
    def why_not(self) -> str:
        """Why it did not."""
        if self.status == "timeout":
            return f"was still running after {self.seconds:.0f} s (raise --timeout)"
        if self.status == "exit":
            return f"left with exit code {self.detail}"
        last = self.detail.strip().splitlines()[-1] if self.detail.strip() else self.status
        return f"failed: {last}"


def run_to_end(session: Session) -> WholeRun:
    """Run the program without a recorder; its writes are kept apart as ever."""
    plan = Plan(level="passes", iterations=_WITHOUT_END)
    try:
        recording = session.record(plan)
    except ExecutionFailed as error:
        status = "timeout" if error.reason == "timeout" else "crashed"
        return WholeRun(status, str(error), _output(plan), (), session.limits.seconds)
    losses = tuple(e.info["value"] for e in recording.events if e.kind == "backward-begin")
    outcome = recording.outcome
    return WholeRun(outcome["status"], outcome["detail"], _output(plan), losses, outcome["seconds"])


def passes_per_iteration(recording: Recording) -> float | None:
    """Backward passes between two updates, from a recording of the first iterations; None without any update."""
    completed = int(recording.outcome["iterations"])
    if not completed:
        return None
    return sum(e.kind == "backward-begin" and e.iteration < completed for e in recording.events) / completed


def update_count(run: WholeRun, recording: Recording) -> int | None:
    """Iterations of the whole run; None where a captured graph hides the backward passes."""
    per_iteration = passes_per_iteration(recording)
    if per_iteration is None:
        return 0
    if not per_iteration or len(run.losses) < per_iteration * recording.outcome["iterations"]:
        return None
    return round(len(run.losses) / per_iteration)


def objective_course(run: WholeRun, recording: Recording) -> list[float]:
    """The objective of each iteration, summed over its backward passes; empty if losses are not known."""
    count = update_count(run, recording)
    if not count or any(v is None for v in run.losses):
        return []
    size = max(round(len(run.losses) / count), 1)
    known = [v for v in run.losses if v is not None]
    return [sum(known[i : i + size]) for i in range(0, len(known) - size + 1, size)]


def _output(plan: Plan) -> str:
    try:
        return (Path(plan.out) / "stdout.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
