"""A session of real processes: one worker in the user's interpreter that forks a child per plan."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ..record.events import Recording
from ..record.plan import Objective, Plan, Write
from .child.channel import Channel
from .live_run import LiveRun
from .session import EvaluationResult, ExecutionFailed, Limits, Target
from .workers import Workers


class LiveSession:
    """See `session.Session`. A context manager, which ends every child and removes the scratch folder."""

    def __init__(self, target: Target, python: str, limits: Limits) -> None:
        self.target = target
        self.limits = limits
        self.executions = 0
        self.workers = Workers(python, target.cwd)
        self.worker_info = self.workers.info
        self._worker: Channel | None = None
        self._run_count = 0
        self._modules: list[str] = []
        """Kernel modules that the recorded run launched from."""
        self._imported: set[str] = set()
        """Packages that the worker has imported."""

    def __enter__(self) -> LiveSession:
        try:
            self._worker, _ = self.workers.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def scratch(self) -> Path:
        """A folder for files that runs read; removed at the end."""
        return self.workers.scratch

    @property
    def can_fork(self) -> bool:
        """True if children are forked from one worker rather than started afresh."""
        return self.limits.fork and bool(self.worker_info.get("can_fork"))

    def clock(self) -> float:
        """Seconds."""
        return time.perf_counter()

    def start(self, plan: Plan) -> LiveRun:
        """Start one execution of the program under a plan."""
        self._run_count += 1
        self.executions += 1
        plan.out = str(self.scratch / f"run-{self._run_count}")
        request = {
            "run": self._run_count,
            "plan": plan.to_json(),
            "program": {
                "script": self.target.script,
                "module": self.target.module,
                "argv": list(self.target.argv),
                "cwd": self.target.cwd,
                "overrides": self.target.overrides if plan.overrides else {},
            },
            "allow_writes": self.limits.allow_writes,
            "max_memory": self.limits.memory,
            "scratch": str(self.scratch),
            "modules": self._modules,
        }
        if not self.can_fork:
            channel, pid = self.workers.start()
            channel.send({"command": "become", **request})
            return LiveRun(self, plan, channel, pid)
        pid = int(self._ask_worker({"command": "fork", **request})["pid"])
        return LiveRun(self, plan, self.workers.accept_run(pid), pid)

    def record(self, plan: Plan, on_wait: Callable[[], None] | None = None, seconds: float | None = None) -> Recording:
        """Run the program to the plan's end, or for ``seconds``, and load what was recorded."""
        run = self.start(plan)
        try:
            recording = run.recording(self.limits.seconds if seconds is None else seconds, on_wait)
        finally:
            run.close()
        self._modules = sorted({str(k["module"]) for k in recording.environment["kernels"].values()})
        self._import(recording.environment["slow_imports"])
        return recording

    def _import(self, modules: list[str]) -> None:
        """Have the worker import what the program has been seen to import, so that later runs need not."""
        missing = [name for name in modules if name not in self._imported]
        if missing and self.can_fork:
            self._ask_worker({"command": "import", "modules": missing})
            self._imported.update(missing)

    def evaluate_afresh(
        self, event: int, buffer: str, points: list[np.ndarray | None], objective: Objective
    ) -> list[EvaluationResult]:
        """Evaluations without fork: the program from its beginning, once per point."""
        results = []
        for start in range(0, len(points), self.limits.jobs):
            batch = points[start : start + self.limits.jobs]
            runs = [self._start_evaluation(event, buffer, point, objective) for point in batch]
            for run in runs:
                results.append(run.result(self.limits.seconds))
                run.close()
        return results

    def _start_evaluation(self, event: int, buffer: str, point: np.ndarray | None, objective: Objective) -> LiveRun:
        plan = Plan(level="light", iterations=10**9, objective=objective)
        if point is not None:
            file = self.scratch / f"point-{self._run_count}.npy"
            np.save(file, point)
            plan.writes = [Write(event, buffer, str(file))]
        return self.start(plan)

    def reap(self, pid: int) -> int:
        """Exit status of a run's process, which has ended or is about to; negative for a signal."""
        status = self.workers.wait(pid)
        return int(self._ask_worker({"command": "reap", "pid": pid})["status"]) if status is None else status

    def close(self) -> None:
        """End every child and remove the scratch folder."""
        self.workers.close()
        if self._worker is not None:
            self._worker.close()

    def _ask_worker(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._worker is not None
        reply = None
        with contextlib.suppress(OSError):
            self._worker.send(request)
            reply = self._worker.receive()
        if reply is None:
            raise ExecutionFailed("worker-died", "The worker process ended unexpectedly; run the command again.")
        return reply
