"""Every parameter, every iteration under test: the consumed gradient against differences of its objective."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..execute.session import Session
from ..measure import ArrayCheck, Budget, ElementCheck, Outcome, Problem, check_array
from ..record.events import Recording
from ..record.plan import Objective
from ..schema.vocabulary import Oracle
from ..trace.consumption import Consumption, Consumptions, ParameterTrace
from .evaluator import Evaluator, Stand, objective_of, stands

if TYPE_CHECKING:
    from .reported import Comparison
    from .settle import Settlement

Progress = Callable[[str], None]

FULL_BUDGET = 110
"""Forward runs for one check: about 46, more where the ladder has to be widened or a disagreement confirmed."""
LEAST_BUDGET = 12
"""When the time is up."""
SHORT_BUDGET = 26
"""While there is time: noise, two directions of three steps and one of them wider."""


@dataclass
class Judged:
    """One consumed gradient, judged."""

    trace: ParameterTrace
    consumption: Consumption
    objective: Objective
    check: ArrayCheck
    problem: Problem | None
    evaluator: Evaluator | None
    reason: str | None = None
    """Why no differences could be taken, where `problem` is None."""
    elements: str = ""
    """Where in the array the gradient is wrong, if that was asked for."""
    each: tuple[ElementCheck, ...] = ()
    """The elements one by one, if that was asked for and there are few."""
    reported: str | None = None
    """The scalar the program reports, where that and not the seeded objective contradicts the gradient."""
    oracle: Oracle = "global"
    """The oracle that decided."""
    settlement: Settlement | None = None
    """What the other oracles found, where differences did not decide."""
    unsettled: ArrayCheck | None = None
    """The check by differences of the whole program, where another oracle has settled it since."""

    @property
    def by_differences(self) -> ArrayCheck:
        """What differences of the whole program say, whoever decided."""
        return self.unsettled or self.check


@dataclass
class Assessment:
    """What the global oracle found."""

    judged: list[Judged] = field(default_factory=list)
    traces: list[ParameterTrace] = field(default_factory=list)
    """The parameters, in the order of their first consumption."""
    is_deterministic: bool = True
    reported: Comparison | None = None
    """Seeds compared with what the program reports; None before."""

    def of(self, trace: ParameterTrace) -> list[Judged]:
        """The checks of one parameter."""
        return [j for j in self.judged if j.trace is trace]


@dataclass(frozen=True)
class Effort:
    """How much time the checks may take."""

    seconds_per_check: float = 30.0
    seconds: float = 60.0
    seed: int = 0


def assess(
    session: Session, recording: Recording, traces: list[ParameterTrace], effort: Effort, progress: Progress
) -> Assessment:
    """Judge every consumption of every parameter."""
    assessment = Assessment(traces=traces)
    work = sorted(((c.pause, t, c) for t in traces for c in t.consumptions), key=lambda item: item[0])
    checks = _Checks(session, recording, effort, len(work))
    with stands(session, [pause for pause, _, _ in work]) as advance:
        for pause, trace, consumption in work:
            progress(f"iteration {consumption.iteration}")
            stand = advance(pause)
            judged = checks.judge(stand, trace, consumption)
            assessment.judged.append(judged)
    assessment.is_deterministic = checks.is_deterministic
    return assessment


class _Checks:
    """Shared state of one assessment: budgets, and whether the program repeats itself."""

    def __init__(self, session: Session, recording: Recording, effort: Effort, count: int) -> None:
        self._session = session
        self._recording = recording
        self._effort = effort
        self._remaining = count
        self._seconds_left = effort.seconds
        self.is_deterministic = True

    def judge(self, stand: Stand | None, trace: ParameterTrace, consumption: Consumption) -> Judged:
        objective = objective_of(consumption, self._recording, self._session.scratch)
        x = stand.contents(consumption.buffer) if stand is not None else None
        share = max(self._seconds_left / max(self._remaining, 1), 1.0)
        self._remaining -= 1
        if stand is None or x is None:
            return _unmeasured(trace, consumption, objective, "not-reached")
        if not objective.contributions:
            return _unmeasured(trace, consumption, objective, "no-objective")
        evaluator = Evaluator(stand, consumption, objective, self._session.limits.seconds)
        repeats = evaluator.repeats(3 if stand.is_forked else 2)
        baseline = repeats[0]
        consumption = self._same_lineage(stand, trace, consumption, objective, baseline)
        if x.shape != consumption.gradient.shape or not np.issubdtype(x.dtype, np.floating):
            return _unmeasured(trace, consumption, objective, "not-differentiable")
        problem = Problem(
            x=x,
            gradient=consumption.gradient,
            baseline=baseline,
            objective_dtype=self._objective_dtype(consumption),
            repeats=[r.value for r in repeats[1:] if r.value is not None],
            manifold=_manifold(self._recording.buffers[consumption.buffer]["dtype"]),
            terms=_terms(consumption, self._recording),
        )
        budget = self._budget(evaluator, share)
        check = check_array(evaluator, problem, self._effort.seed + consumption.iteration, budget)
        self._seconds_left -= evaluator.seconds
        return Judged(trace, consumption, objective, check, problem, evaluator)

    def _budget(self, evaluator: Evaluator, share: float) -> Budget:
        per_run = evaluator.seconds / max(evaluator.runs, 1)
        affordable = int(min(self._effort.seconds_per_check, share) / max(per_run, 1e-4))
        # A busy machine may take as long again: what is found should not depend on how busy it is.
        is_late = self._seconds_left + self._effort.seconds < evaluator.seconds
        least = LEAST_BUDGET if is_late else SHORT_BUDGET
        return Budget(max(least, min(FULL_BUDGET, affordable)))

    def _objective_dtype(self, consumption: Consumption) -> np.dtype[np.floating]:
        names = [b.loss["dtype"] for b in consumption.backwards if b.loss is not None]
        names += [s.dtype for b in consumption.backwards for s in b.seeds]
        return np.dtype(np.float64) if names and all("64" in n or n.endswith("d") for n in names) else np.dtype("f4")

    def _same_lineage(
        self, stand: Stand, trace: ParameterTrace, consumption: Consumption, objective: Objective, baseline: Outcome
    ) -> Consumption:
        """The gradient must belong to the very run that is perturbed; a program that is random at start-up is
        recorded again from where the perturbed runs fork."""
        if baseline.value is None or recorded_value(consumption, objective) == baseline.value:
            return consumption
        if any(c.seed_file for c in objective.contributions):
            return consumption
        self.is_deterministic = False
        again = stand.record_from_here(consumption.iteration + 1, self._session.limits.seconds)
        if again is None:
            return consumption
        for other in Consumptions(again).parameters():
            for candidate in other.consumptions:
                if candidate.iteration == consumption.iteration and candidate.buffer == consumption.buffer:
                    return candidate
        return consumption


def recorded_value(consumption: Consumption, objective: Objective) -> float | None:
    """The objective as it was recorded, summed as the evaluations sum it; None with manual seeds."""
    total = 0.0
    by_ordinal = {b.ordinal: b for b in consumption.backwards}
    for term in objective.contributions:
        loss = by_ordinal[term.backward].loss
        if term.seed_file is not None or loss is None:
            return None
        total += float(loss["value"] - (loss["first_value"] if term.increment else 0.0))
    return total


def _terms(consumption: Consumption, recording: Recording) -> int:
    """Most threads that one launch lets add to a loss of the consumption; 1 where none does."""
    losses = {b.loss["buffer"] for b in consumption.backwards if b.loss is not None}
    counts = [
        math.prod(int(n) for n in re.findall(r"\d+", str(event.info["dim"])))
        for event in recording.events
        if event.iteration == consumption.iteration and event.info.get("dim") is not None
        for touch in event.touches
        if touch.buffer in losses and touch.accumulates
    ]
    return max([1, *counts])


def _manifold(dtype: str) -> str | None:
    if dtype.startswith("quat"):
        return "quaternion"
    return "transform" if dtype.startswith("transform") else None


def _unmeasured(trace: ParameterTrace, consumption: Consumption, objective: Objective, reason: str) -> Judged:
    check = ArrayCheck("undecided", reason, 0)
    return Judged(trace, consumption, objective, check, None, None, reason)
