"""One execution of the program in a process of its own, seen from our side."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..record.events import Recording, load
from ..record.plan import Objective, Plan
from .child.channel import Channel
from .session import EvaluationResult, ExecutionFailed

if TYPE_CHECKING:
    from .live import LiveSession

_GRACE = 10.0
"""Seconds that a program has to write its recording after it was asked to stop."""


class LiveRun:
    """See `session.Run`."""

    def __init__(self, session: LiveSession, plan: Plan, channel: Channel, pid: int) -> None:
        self._session = session
        self._channel = channel
        self._pid = pid
        self._folder = Path(plan.out)
        self._file_count = 0
        self._killed_after: float | None = None

    def wait(self, seconds: float, on_wait: Callable[[], None] | None = None) -> dict[str, Any] | None:
        """The next message of the run; None once it ended. Past the time the program is asked to stop, then killed."""
        deadline = time.monotonic() + seconds
        for number in (signal.SIGTERM, signal.SIGKILL, None):
            while time.monotonic() < deadline:
                try:
                    return self._channel.receive(0.25)
                except TimeoutError:
                    if on_wait is not None:
                        on_wait()
            if number is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, number)
                deadline = time.monotonic() + _GRACE
            if number == signal.SIGKILL:
                self._killed_after = seconds
        return None

    def recording(self, seconds: float, on_wait: Callable[[], None] | None = None) -> Recording:
        """Wait for the end and load the recording.

        Raises:
            ExecutionFailed: the process died without writing one.
        """
        message = self.wait(seconds, on_wait)
        if message is not None and message["type"] == "harness-failure":
            text = "The recorder failed inside the program; this is a fault of the harness, not of the program."
            raise ExecutionFailed("internal", text, message["detail"])
        if message is None or not (self._folder / "recording.json").exists():
            raise self._death()
        return load(str(self._folder))

    def result(self, seconds: float) -> EvaluationResult:
        """Wait for the answer of a run whose plan has an objective."""
        message = self.wait(seconds) or {"status": "timeout" if self._killed_after is not None else "crash"}
        return _result(message)

    # --- requests to a paused run -----------------------------------------------------------------------------
    def contents(self, buffer: str) -> np.ndarray | None:
        """Contents of an array where the program stands."""
        file = self._file()
        reply = self._request(self._session.limits.seconds, command="contents", buffer=buffer, file=file)
        return np.load(file) if reply is not None and reply["found"] else None

    def evaluate(
        self, buffer: str, points: list[np.ndarray | None], objective: Objective, timeout: float
    ) -> list[EvaluationResult]:
        """Run on from here once per point, with the parameter set to it; None leaves it as it is."""
        runs = []
        for index, point in enumerate(points):
            run: dict[str, Any] = {"id": index, "buffer": buffer}
            if point is not None:
                run["file"] = self._file()
                np.save(run["file"], point)
            runs.append(run)
        self._session.executions += len(runs)
        reply = self._request(
            timeout * (len(runs) + 1), command="evaluate", runs=runs, objective=objective.to_json(),
            jobs=self._session.limits.jobs, timeout=timeout,
        )  # fmt: skip
        for run in runs:
            if "file" in run:
                os.unlink(run["file"])
        if reply is None:
            return [EvaluationResult("crash")] * len(points)
        return [_result(r) for r in sorted(reply["results"], key=lambda r: int(r["id"]))]

    def record_from_here(self, iterations: int, timeout: float) -> Recording | None:
        """Go on recording from here, in a fork, up to the end of iteration ``iterations - 1``."""
        self._file_count += 1
        out = self._folder / f"fork-{self._file_count}"
        self._session.executions += 1
        self._request(timeout + _GRACE, command="record", out=str(out), iterations=iterations, timeout=timeout)
        return load(str(out)) if (out / "recording.json").exists() else None

    def local(self, seed: int, seconds: float, timeout: float) -> dict[str, Any]:
        """Check the launch the program is about to run, in a fork of it; ``status`` is "ok" if it came through."""
        self._session.executions += 1
        reply = self._request(timeout + _GRACE, command="local", seed=seed, effort=seconds, timeout=timeout)
        return reply if reply is not None else {"status": "crash"}

    def resume(self) -> None:
        """Let the paused program go on to the next pause."""
        with contextlib.suppress(OSError):  # it has ended: the next `wait` says so
            self._channel.send({"command": "continue"})

    def close(self) -> None:
        """End the run."""
        self._channel.close()
        self._session.workers.end(self._pid)
        with contextlib.suppress(Exception):
            self._session.reap(self._pid)

    def _request(self, seconds: float, **body: Any) -> dict[str, Any] | None:
        """Send one request to the paused program and wait for the answer; None if the program has ended."""
        reply = None
        with contextlib.suppress(OSError):
            self._channel.send(body)
            reply = self.wait(seconds)
        return None if reply is None or reply.get("type") == "finished" else reply

    def _file(self) -> str:
        self._file_count += 1
        return str(self._folder / f"exchange-{self._file_count}.npy")

    def _death(self) -> ExecutionFailed:
        program = self._session.target.label
        if self._killed_after is not None:
            text = f"`{program}` was still running after {self._killed_after:.0f} s and did not stop when asked to."
            return ExecutionFailed("timeout", text, self._output())
        return ExecutionFailed("crashed", _describe_death(self._session.reap(self._pid), program), self._output())

    def _output(self, limit: int = 2000) -> str:
        """Tail of what the program printed, standard error last."""
        parts = []
        for name in ("stdout.txt", "stderr.txt"):
            with contextlib.suppress(OSError):
                parts.append((self._folder / name).read_text(errors="replace")[-limit:])
        return "\n".join(p for p in parts if p.strip())


def _result(message: dict[str, Any]) -> EvaluationResult:
    values = tuple(float(v) for v in message.get("values", ()))
    scalars = {name: float(value) for name, value in message.get("scalars", {}).items()}
    return EvaluationResult(message.get("status", "crash"), values, message.get("structure"), scalars)


def _describe_death(status: int, program: str) -> str:
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        hint = " Most likely it ran out of memory." if name == "SIGKILL" else ""
        return f"`{program}` crashed the interpreter ({name}) while it was being recorded.{hint}"
    return f"`{program}` ended the interpreter abruptly, as os._exit({status}) does, while it was being recorded."
