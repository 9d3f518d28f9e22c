"""Forward runs of the program with one parameter changed, behind the interface that `harness.measure` asks for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ..execute.session import EvaluationResult, Run, Session
from ..measure import Outcome
from ..record.events import Recording
from ..record.plan import Contribution, Objective, Plan
from ..trace.consumption import Backward, Consumption


def objective_of(consumption: Consumption, recording: Recording, folder: Path) -> Objective:
    """What the consumed gradient should be the gradient of: the losses, and seed times output for manual seeds.

    A loss that backward ran on twice without being computed anew counts once. Seeds that are adjoints of an earlier
    pass carry the chain rule on; they are no objective of their own.
    """
    terms: list[Contribution] = []
    counted: set[tuple[str, int]] = set()
    for backward in consumption.backwards:
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
        self._buffer = consumption.buffer
        self._objective = objective
        self._timeout = timeout
        self._known: dict[bytes, Outcome] = {}
        self.runs = 0
        self.seconds = 0.0

    def __call__(self, points: Sequence[np.ndarray]) -> list[Outcome]:
        """One outcome per point, each the full contents of the parameter."""
        keys = [p.tobytes() for p in points]
        missing = {k: p for k, p in zip(keys, points) if k not in self._known}
        if missing:
            for key, outcome in zip(missing, self._run(list(missing.values()))):
                self._known[key] = outcome
        return [self._known[k] for k in keys]

    def repeats(self, count: int) -> list[Outcome]:
        """Unperturbed runs."""
        return self._run([None] * count)

    def _run(self, points: Sequence[np.ndarray | None]) -> list[Outcome]:
        started = time.perf_counter()
        results = self._stand.evaluate(self._buffer, list(points), self._objective, self._timeout)
        self.seconds += time.perf_counter() - started
        self.runs += len(points)
        return [_outcome(r) for r in results]


def _outcome(result: EvaluationResult) -> Outcome:
    if result.status != "ok":
        return Outcome(None, result.status, result.structure)
    return Outcome(float(sum(result.values)), None, result.structure)


class Stand:
    """Where evaluations start from: a program paused at an event, or (without fork) the program from its beginning."""

    def __init__(self, session: Session, run: Run | None, pause: int) -> None:
        self._session = session
        self._run = run
        self.pause = pause

    @property
    def is_forked(self) -> bool:
        """True if evaluations are forks of a paused program."""
        return self._run is not None

    def contents(self, buffer: str) -> np.ndarray | None:
        """Contents of an array at this point."""
        if self._run is not None:
            return self._run.contents(buffer)
        run = self._session.start(Plan(level="light", iterations=10**9, pauses=[self.pause]))
        try:
            message = run.wait(self._session.limits.seconds)
            return run.contents(buffer) if message and message["type"] == "paused" else None
        finally:
            run.close()

    def evaluate(
        self, buffer: str, points: list[np.ndarray | None], objective: Objective, timeout: float
    ) -> list[EvaluationResult]:
        """One result per point."""
        if self._run is not None:
            return self._run.evaluate(buffer, points, objective, timeout)
        return self._session.evaluate_afresh(self.pause, buffer, points, objective)

    def record_from_here(self, iterations: int, timeout: float) -> Recording | None:
        """A recording that shares this point's past."""
        if self._run is not None:
            return self._run.record_from_here(iterations, timeout)
        return self._session.record(Plan(iterations=iterations))


@contextmanager
def stands(session: Session, pauses: Sequence[int]) -> Iterator[Callable[[int], Stand | None]]:
    """A function that brings the program to each pause, in ascending order; None where it did not get there."""
    if not session.can_fork:
        yield lambda pause: Stand(session, None, pause)
        return
    run = session.start(Plan(level="full", iterations=10**9, pauses=sorted(set(pauses))))
    position: list[int] = []

    def advance(pause: int) -> Stand | None:
        while not position or position[-1] < pause:
            if position:
                run.resume()
            message = run.wait(session.limits.seconds)
            if message is None or message["type"] != "paused":
                return None
            position.append(message["event"])
        return Stand(session, run, pause)

    try:
        yield advance
    finally:
        run.close()


