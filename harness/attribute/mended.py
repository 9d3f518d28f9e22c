"""The program as if its causes were mended: what is wrong in the iterations that they kept out of sight."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..assess import reported
from ..assess.gradients import Effort, Judged, assess
from ..assess.sharpen import sharpen
from ..execute.session import EvaluationResult, ExecutionFailed, Limits, Run, Session, Target
from ..record.events import Recording
from ..record.plan import Objective, Plan
from ..trace.consumption import Consumption, Consumptions
from ..trace.source import Source
from .laboratory import Laboratory, Treatment


class MendedSession:
    """A session whose every run has the interventions of ``applied`` on, from its start. See `Session`."""

    def __init__(self, session: Session, applied: Treatment) -> None:
        self._session = session
        self._mending = [json.loads(i) for i in applied.interventions]

    @property
    def target(self) -> Target:
        """The program."""
        return self._session.target

    @property
    def limits(self) -> Limits:
        """Bounds on every run."""
        return self._session.limits

    @property
    def scratch(self) -> Path:
        """A folder for files that runs read."""
        return self._session.scratch

    @property
    def can_fork(self) -> bool:
        """True if children are forked from one worker."""
        return self._session.can_fork

    @property
    def executions(self) -> int:
        """Executions so far."""
        return self._session.executions

    @property
    def worker_info(self) -> dict[str, Any]:
        """What the worker said about its interpreter."""
        return self._session.worker_info

    def clock(self) -> float:
        """Seconds."""
        return self._session.clock()

    def start(self, plan: Plan) -> Run:
        """Start one execution of the mended program."""
        return self._session.start(self._mended(plan))

    def record(self, plan: Plan, on_wait: Callable[[], None] | None = None, seconds: float | None = None) -> Recording:
        """Run the mended program to the plan's end, and load what was recorded."""
        return self._session.record(self._mended(plan), on_wait, seconds)

    def evaluate_afresh(
        self, event: int, buffer: str, points: list[np.ndarray | None], objective: Objective
    ) -> list[EvaluationResult]:
        """Evaluations of the mended program from its beginning."""
        objective = replace(objective, interventions=self._joined(objective.interventions))
        return self._session.evaluate_afresh(event, buffer, points, objective)

    def _mended(self, plan: Plan) -> Plan:
        return replace(plan, interventions=self._joined(plan.interventions))

    def _joined(self, others: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """None twice: a launch that is recorded twice counts twice."""
        bare = [{key: value for key, value in o.items() if key != "from_iteration"} for o in others]
        return self._mending + [o for o, settings in zip(others, bare, strict=True) if settings not in self._mending]


def unseen(lab: Laboratory) -> set[int]:
    """Iterations that the program enters with a parameter that is not finite: there nothing could be judged."""
    return {j.consumption.iteration for j in lab.assessment.judged if _is_spoilt(j)}


def _is_spoilt(judged: Judged) -> bool:
    return judged.problem is not None and not np.all(np.isfinite(judged.problem.x))


def _silent(_: str) -> None:
    """Progress of a part of the search."""


def mended(lab: Laboratory, applied: Treatment, seconds: float) -> Laboratory | None:
    """The mended program judged anew; None where every iteration was judged, or it does not get through.

    Iterations in which a link is held fixed are explained already, and stay wrong: they are left out.

    Args:
        applied: what undoes the causes found so far.
        seconds: what the checks may take.
    """
    iterations = unseen(lab)
    if not iterations or not applied.interventions:
        return None
    last = max(iterations)
    if not applied.holds_links:
        iterations = {j.consumption.iteration for j in lab.assessment.judged}
    return judged_anew(lab, applied, last, lambda c: c.iteration in iterations, seconds)


def judged_anew(
    lab: Laboratory, applied: Treatment, last: int, is_wanted: Callable[[Consumption], bool], seconds: float
) -> Laboratory | None:
    """The gradients of a program under interventions, up to the iteration ``last``; None if it does not get there."""
    session = MendedSession(lab.session, applied)
    try:
        recording = session.record(Plan(iterations=last + 1))
    except ExecutionFailed:
        return None
    consumptions = Consumptions(recording)
    traces = [
        replace(trace, consumptions=[c for c in trace.consumptions if is_wanted(c)])
        for trace in consumptions.parameters()
    ]
    assessment = assess(session, recording, traces, Effort(seconds=seconds, seed=lab.seed), _silent)
    sharpen(session, recording, assessment, lab.seed, _silent)
    reported.apply(assessment)
    source = Source(recording, lab.source.folder)
    return Laboratory(session, recording, consumptions, assessment, source, lab.seed, is_mended=True)
