"""Forward runs of the program with one parameter changed, behind the interface that `harness.measure` asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..execute.session import EvaluationResult, Run, Session
from ..measure import Outcome
from ..record.events import Recording
from ..record.plan import Contribution, Objective, Plan
from ..trace.consumption import Backward, Consumption

_HOPELESS = 3
"""Runs that may take too long before no more are tried."""
_PATIENCE = 20.0
"""Times the seconds of a run so far."""
_LEAST_PATIENCE = 20.0
"""Seconds: a changed parameter may have a kernel compiled."""


def objective_of(consumption: Consumption, recording: Recording, folder: Path) -> Objective:
    """What the consumed gradient should be the gradient of: the losses, and seed times output for manual seeds.

    A loss that backward ran on twice without being computed anew counts once. Seeds that are adjoints of an earlier
    pass carry the chain rule on; they are no objective of their own. Nor do passes count that ran before the parameter
    was used: another task's, whose tape does not hold it.
    """
    terms: list[Contribution] = []
    counted: set[tuple[str, int]] = set()
    later = [b for b in consumption.backwards if b.event.seq > consumption.pause]
    for backward in later or consumption.backwards:
        if backward.loss is not None:
            key = (backward.loss["buffer"], backward.loss["last_write"])
            if key in counted:
                continue
            counted.add(key)
            terms.append(Contribution(backward.ordinal, backward.loss["buffer"], None, backward.loss["accumulates"]))
        terms += _seed_terms(backward, recording, folder)
    return Objective(terms, max((t.backward for t in terms), default=0))


def _seed_terms(backward: Backward, recording: Recording, folder: Path) -> list[Contribution]:
    terms = []
    for seed in backward.seeds:
        if seed.is_chained or seed.is_zero:
            continue
        file = folder / f"{seed.contents}.npy"
        if not file.exists():
            np.save(file, recording.arrays[seed.contents])
        terms.append(Contribution(backward.ordinal, seed.buffer, str(file)))
    return terms


class Evaluator:
    """Evaluates one objective at changed contents of one parameter; remembers every answer."""

    def __init__(self, stand: Stand, consumption: Consumption, objective: Objective, timeout: float) -> None:
        self._stand = stand
        self._consumption = consumption
        self._buffer = consumption.buffer
        self._objective = objective
        self._timeout = timeout
        self._known: dict[bytes, Outcome] = {}
        self.runs = 0
        self.seconds = 0.0
        self.failures: Counter[str] = Counter()
        """Runs without a number, by status: "crash", "timeout", "nan" and so on."""

    def for_objective(self, objective: Objective) -> Evaluator:
        """The same parameter at the same point of the program, another objective."""
        return Evaluator(self._stand, self._consumption, objective, self._timeout)

    def __call__(self, points: Sequence[np.ndarray]) -> list[Outcome]:
        """One outcome per point, each the full contents of the parameter."""
        keys = [p.tobytes() for p in points]
        missing = {k: p for k, p in zip(keys, points, strict=True) if k not in self._known}
        if missing:
            for key, outcome in zip(missing, self._run(list(missing.values())), strict=False):
                self._known[key] = outcome
        return [self._known[k] for k in keys]

    def repeats(self, count: int) -> list[Outcome]:
        """Unperturbed runs."""
        return self._run([None] * count)

    def terms(self, points: Sequence[np.ndarray]) -> list[tuple[float, ...] | None]:
        """The terms of the objective one by one, per point; None where a run gave none."""
        results = self._stand.evaluate(self._buffer, list(points), self._objective, self._timeout)
        self.runs += len(points)
        return [r.values if r.status == "ok" else None for r in results]

    def report(self, points: Sequence[np.ndarray | None]) -> list[dict[str, float] | None]:
        """The scalars the program reports at the end of the iteration, per point; None where it got none."""
        objective = replace(self._objective, report=True)
        results = self._stand.evaluate(self._buffer, list(points), objective, self._timeout)
        self.runs += len(points)
        return [r.scalars if r.status == "ok" else None for r in results]

    def _run(self, points: Sequence[np.ndarray | None]) -> list[Outcome]:
        if self.failures["timeout"] >= _HOPELESS:
            return [Outcome(None, "timeout", None)] * len(points)
        started = self._stand.clock()
        results = self._stand.evaluate(self._buffer, list(points), self._objective, self._patience())
        self.seconds += self._stand.clock() - started
        self.runs += len(points)
        self.failures.update(r.status for r in results if r.status != "ok")
        return [_outcome(r) for r in results]

    def _patience(self) -> float:
        """Seconds for one run: a changed parameter may cost more than the same one, but not without bound."""
        if not self.runs:
            return self._timeout
        return min(self._timeout, max(_LEAST_PATIENCE, _PATIENCE * self.seconds / self.runs))


def _outcome(result: EvaluationResult) -> Outcome:
    if result.status != "ok":
        return Outcome(None, result.status, result.structure)
    return Outcome(float(sum(result.values)), None, result.structure)


class Stand:
    """Where evaluations start from: a program paused at an event, or (without fork) the program from its beginning.

    A stand whose program has gone on is set up again when it is asked for more.
    """

    def __init__(self, session: Session, pause: int, run: Run | None = None) -> None:
        self._session = session
        self._run = run
        self.pause = pause

    @property
    def is_forked(self) -> bool:
        """True if evaluations are forks of a paused program."""
        return self._session.can_fork

    def clock(self) -> float:
        """Seconds on the session's clock."""
        return self._session.clock()

    def leave(self) -> None:
        """The program this stand was on goes on."""
        self._run = None

    def contents(self, buffer: str) -> np.ndarray | None:
        """Contents of an array at this point."""
        run = self._paused()
        return run.contents(buffer) if run is not None else None

    def evaluate(
        self, buffer: str, points: list[np.ndarray | None], objective: Objective, timeout: float
    ) -> list[EvaluationResult]:
        """One result per point."""
        if not self.is_forked:
            return self._session.evaluate_afresh(self.pause, buffer, points, objective)
        run = self._paused()
        if run is None:
            return [EvaluationResult("not-reached")] * len(points)
        return run.evaluate(buffer, points, objective, timeout)

    def record_from_here(self, iterations: int, timeout: float) -> Recording | None:
        """A recording that shares this point's past."""
        run = self._paused() if self.is_forked else None
        return run.record_from_here(iterations, timeout) if run is not None else None

    def _paused(self) -> Run | None:
        if self._run is None:
            run = self._session.start(Plan(level="full", iterations=10**9, pauses=[self.pause]))
            message = run.wait(self._session.limits.seconds)
            if message is None or message["type"] != "paused":
                run.close()
                return None
            self._run = run
        return self._run


@contextmanager
def stands(session: Session, pauses: Sequence[int]) -> Iterator[Callable[[int], Stand | None]]:
    """A function that brings the program to each pause, in ascending order; None where it did not get there."""
    if not session.can_fork:
        yield lambda pause: Stand(session, pause)
        return
    run = session.start(Plan(level="full", iterations=10**9, pauses=sorted(set(pauses))))
    reached: list[Stand] = []

    def advance(pause: int) -> Stand | None:
        while not reached or reached[-1].pause < pause:
            if reached:
                reached[-1].leave()
                run.resume()
            message = run.wait(session.limits.seconds)
            if message is None or message["type"] != "paused":
                return None
            reached.append(Stand(session, message["event"], run))
        return reached[-1]

    try:
        yield advance
    finally:
        if reached:
            reached[-1].leave()
        run.close()
