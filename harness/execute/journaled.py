"""A session whose questions and answers pass through a journal: written to a file, or repeated from one."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..record.events import Recording
from ..record.plan import Objective, Plan
from .journal import Journal, JournalReader, JournalWriter, Question
from .live import LiveSession
from .session import EvaluationResult, ExecutionFailed, Limits, Run, Session, Target


@contextmanager
def recorded(live: LiveSession, file: str, options: dict[str, Any]) -> Iterator[Session]:
    """A session that also writes ``file``, with the options of the diagnosis, unless it is interrupted."""
    target = {**vars(live.target), "argv": list(live.target.argv)}
    journal = JournalWriter(file, {"target": target, "options": options})
    try:
        with live:
            journal.header.update(can_fork=live.can_fork, worker=live.worker_info)
            try:
                yield JournaledSession(journal, live, live.target, live.limits, live.scratch)
            except ExecutionFailed:
                journal.finish()
                raise
            journal.finish()
    finally:
        journal.abandon()


@contextmanager
def repeated(file: str) -> Iterator[tuple[Session, dict[str, Any]]]:
    """A session that answers from ``file``, and the options it was written with."""
    scratch = Path(tempfile.mkdtemp(prefix="warp-gradients-"))
    try:
        journal = JournalReader(file, scratch / "journal")
        target = journal.header["target"]
        target = Target(**{**target, "argv": tuple(target["argv"])})
        yield JournaledSession(journal, None, target, Limits(), scratch), journal.header["options"]
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class JournaledSession:
    """See `session.Session`. ``live`` is None when a file is repeated."""

    def __init__(
        self, journal: Journal, live: LiveSession | None, target: Target, limits: Limits, scratch: Path
    ) -> None:
        self.journal = journal
        self.target = target
        self.limits = limits
        self.scratch = scratch
        self._live = live
        self._run_count = 0

    @property
    def can_fork(self) -> bool:
        """True if children are forked from one worker rather than started afresh."""
        return bool(self.journal.header["can_fork"])

    @property
    def worker_info(self) -> dict[str, Any]:
        """What the worker said about its interpreter."""
        return dict(self.journal.header["worker"])

    @property
    def executions(self) -> int:
        """Executions so far; none when a file is repeated."""
        return self._live.executions if self._live is not None else 0

    def clock(self) -> float:
        """Seconds, the recorded ones when a file is repeated: effort depends on them."""
        return float(self.journal.answer({"ask": "clock"}, lambda: self.live.clock()))

    def start(self, plan: Plan) -> JournaledRun:
        """Start one execution of the program under a plan."""
        self._run_count += 1
        runs: list[Run] = []
        self.journal.answer({"ask": "start", "plan": self._plan(plan)}, lambda: runs.append(self.live.start(plan)))
        return JournaledRun(self.journal, self._run_count, runs[0] if runs else None)

    def record(self, plan: Plan, on_wait: Callable[[], None] | None = None, seconds: float | None = None) -> Recording:
        """Run the program to the plan's end, or for ``seconds``, and load what was recorded."""
        question = {"ask": "recording", "plan": self._plan(plan)}
        recording: Recording = self.journal.answer(question, lambda: self.live.record(plan, on_wait, seconds))
        return recording

    def evaluate_afresh(
        self, event: int, buffer: str, points: list[np.ndarray | None], objective: Objective
    ) -> list[EvaluationResult]:
        """Evaluations without fork: the program from its beginning, once per point."""
        question = {"ask": "evaluations", "event": event, "buffer": buffer, "points": points}
        results: list[EvaluationResult] = self.journal.answer(
            question, lambda: self.live.evaluate_afresh(event, buffer, points, objective)
        )
        return results

    @property
    def live(self) -> LiveSession:
        """The session that answers; asked for only while there is one."""
        assert self._live is not None
        return self._live

    def _plan(self, plan: Plan) -> Any:
        """The plan without the places of files, which differ from session to session."""
        body = {**plan.to_json(), "out": ""}
        return json.loads(json.dumps(body).replace(json.dumps(str(self.scratch))[1:-1], "scratch"))


class JournaledRun:
    """See `session.Run`."""

    def __init__(self, journal: Journal, number: int, run: Run | None) -> None:
        self._journal = journal
        self._number = number
        self._run = run
        self._resumed = 0

    def wait(self, seconds: float, on_wait: Callable[[], None] | None = None) -> dict[str, Any] | None:
        """The next message of the run; None once it ended."""
        message: dict[str, Any] | None = self._ask({"ask": "message"}, lambda run: run.wait(seconds, on_wait))
        return message

    def contents(self, buffer: str) -> np.ndarray | None:
        """Contents of an array where the program stands."""
        question = {"ask": "contents", "buffer": buffer}
        contents: np.ndarray | None = self._ask(question, lambda run: run.contents(buffer))
        return contents

    def evaluate(
        self, buffer: str, points: list[np.ndarray | None], objective: Objective, timeout: float
    ) -> list[EvaluationResult]:
        """Run on from here once per point, with the parameter set to it; None leaves it as it is."""
        question = {"ask": "evaluations", "buffer": buffer, "points": points}
        results: list[EvaluationResult] = self._ask(
            question, lambda run: run.evaluate(buffer, points, objective, timeout)
        )
        return results

    def record_from_here(self, iterations: int, timeout: float) -> Recording | None:
        """Go on recording from here, in a fork, up to the end of iteration ``iterations - 1``."""
        question = {"ask": "recording", "iterations": iterations}
        recording: Recording | None = self._ask(question, lambda run: run.record_from_here(iterations, timeout))
        return recording

    def local(self, seed: int, seconds: float, timeout: float) -> dict[str, Any]:
        """Check the launch the program is about to run."""
        question = {"ask": "local", "seed": seed}
        answer: dict[str, Any] = self._ask(question, lambda run: run.local(seed, seconds, timeout))
        return answer

    def resume(self) -> None:
        """Let the paused program go on to the next pause."""
        self._resumed += 1
        if self._run is not None:
            self._run.resume()

    def close(self) -> None:
        """End the run."""
        if self._run is not None:
            self._run.close()

    def _ask(self, question: Question, ask: Callable[[Run], Any]) -> Any:
        def of_the_run() -> Any:
            assert self._run is not None
            return ask(self._run)

        return self._journal.answer({**question, "run": self._number, "resumed": self._resumed}, of_the_run)
