"""The local oracle: the adjoint of single launches against differences of those launches alone."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..execute.session import ExecutionFailed, Session
from ..measure import LocalCheck, LocalRung, judge_local
from ..record.events import Event, Recording
from ..record.plan import Plan

Status = Literal["agrees", "disagrees", "undecided"]

SECONDS_PER_LAUNCH = 3.0
"""A launch whose first direction takes longer than half of this is checked along one direction."""

SAMPLES = 3
"""Launches checked per kernel: an early one, one in the middle, a late one."""


@dataclass(frozen=True)
class Pair:
    """One array written with respect to one array read, each under every argument path that names it."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    check: LocalCheck


@dataclass(frozen=True)
class LaunchCheck:
    """Verdict on one launch: that of its worst pair of arrays."""

    event: int
    kernel: str
    status: Status
    reason: str | None
    residual_rel: float | None
    pairs: tuple[Pair, ...] = ()
    worst: Pair | None = None
    seconds: float = 0.0

    def among(self, inputs: Collection[str], outputs: Collection[str]) -> LaunchCheck:
        """The same launch judged by some of its arrays only, given by argument path."""
        if not self.pairs:
            return self
        kept = [p for p in self.pairs if set(inputs) & set(p.inputs) and set(outputs) & set(p.outputs)]
        return _combined(self.event, self.kernel, kept, self.seconds)


@dataclass
class LocalResult:
    """Verdict on one kernel from all launches that were sampled."""

    kernel: str
    file: str | None
    line: int | None
    launches: list[LaunchCheck] = field(default_factory=list)

    @property
    def status(self) -> Status:
        """One launch that disagrees is enough; a rough one does not undo what the others show."""
        statuses = [c.status for c in self.launches]
        if "disagrees" in statuses:
            return "disagrees"
        return "agrees" if "agrees" in statuses else "undecided"

    @property
    def residual_rel(self) -> float:
        """Largest residual of the launches that decided, relative to the scale of the derivative."""
        decided = [c.residual_rel or 0.0 for c in self.launches if c.status == self.status]
        return max(decided, default=0.0)

    @property
    def worst(self) -> LaunchCheck | None:
        """The launch that speaks loudest for the status."""
        decided = [c for c in self.launches if c.status == self.status]
        return max(decided, key=lambda c: c.residual_rel or 0.0, default=None)


def check_launches(
    session: Session, recording: Recording, events: Iterable[int], timeout: float, seed: int = 0
) -> dict[int, LaunchCheck]:
    """Check taped launches, given by the number of their event; one run of the program, paused at each.

    Launches that the program did not reach again are missing from the answer. ``timeout`` bounds each, in seconds.
    """
    wanted = sorted(set(events))
    if not wanted or not session.can_fork:
        return {}
    found: dict[int, LaunchCheck] = {}
    run = session.start(Plan(level="full", iterations=10**9, pauses=wanted))
    try:
        # The last check over, the rest of the program is of no interest.
        with contextlib.suppress(ExecutionFailed):
            for number in range(len(wanted)):
                if number:
                    run.resume()
                message = run.wait(session.limits.seconds)
                if message is None or message["type"] != "paused":
                    break
                event = recording.event(message["event"])
                reply = run.local(seed + event.seq, min(SECONDS_PER_LAUNCH, timeout), timeout)
                found[event.seq] = judge_launch(event, reply)
    finally:
        run.close()
    return found


def judge_launch(event: Event, reply: dict[str, Any]) -> LaunchCheck:
    """Judge what the program's side measured."""
    if reply["status"] != "ok":
        reason = reply["status"] if reply["status"] != "failed" else reply.get("detail", "failed")
        return LaunchCheck(event.seq, event.name, "undecided", reason, None)
    pairs = [_pair(p) for p in reply["pairs"]]
    return _combined(event.seq, event.name, pairs, reply["seconds"])


def _pair(body: dict[str, Any]) -> Pair:
    ladders = [[LocalRung(*rung) for rung in direction] for direction in body["directions"]]
    check = judge_local(ladders, body["scale"])
    is_ignored = all(r.difference == 0.0 for ladder in ladders for r in ladder)
    if body["is_own"] and is_ignored and check.status == "disagrees":
        # The launch replaces what was there, but its adjoint lets the gradient pass on to it. Only a chain that uses
        # the array twice notices.
        check = LocalCheck("undecided", check.residual_rel, "gradient-not-consumed", check.directions)
    return Pair(tuple(body["inputs"]), tuple(body["outputs"]), check)


def _combined(event: int, kernel: str, pairs: Sequence[Pair], seconds: float) -> LaunchCheck:
    if not pairs:
        return LaunchCheck(event, kernel, "agrees", "nothing-differentiable", 0.0, (), None, seconds)
    for status in ("disagrees", "undecided", "agrees"):
        same = [p for p in pairs if p.check.status == status]
        if same:
            worst = max(same, key=lambda p: p.check.residual_rel or 0.0)
            check = worst.check
            return LaunchCheck(
                event, kernel, check.status, check.reason, check.residual_rel, tuple(pairs), worst, seconds
            )
    raise AssertionError("every pair has one of three statuses")


def sampled(launches: Sequence[Event]) -> list[Event]:
    """An early, a middle and a late launch of every kernel."""
    by_kernel: dict[str, list[Event]] = {}
    for event in launches:
        by_kernel.setdefault(event.name, []).append(event)
    chosen: dict[int, Event] = {}
    for group in by_kernel.values():
        last = len(group) - 1
        for position in {round(last * k / (SAMPLES - 1)) for k in range(SAMPLES)}:
            chosen[group[position].seq] = group[position]
    return [chosen[seq] for seq in sorted(chosen)]


def results(checks: Iterable[LaunchCheck], recording: Recording) -> list[LocalResult]:
    """Checks of launches gathered by kernel, in order of their first launch."""
    described = recording.environment.get("kernels", {})
    found: dict[str, LocalResult] = {}
    for check in sorted(checks, key=lambda c: c.event):
        about = described.get(check.kernel, {})
        result = found.setdefault(check.kernel, LocalResult(check.kernel, about.get("file"), about.get("line")))
        result.launches.append(check)
    return list(found.values())
