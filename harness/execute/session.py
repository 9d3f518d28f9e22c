"""Our side of the process boundary: the worker, the runs it makes, and the connections to them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ..record.events import Recording, load
from ..record.plan import Objective, Plan, Write
from .child.channel import Channel

_WORKER = Path(__file__).parent / "child" / "main.py"


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
    jobs: int = 2
    allow_writes: bool = False
    fork: bool = True


@dataclass(frozen=True)
class EvaluationResult:
    """One forward run: the objective's terms, or why there are none."""

    status: str
    values: tuple[float, ...] = ()
    structure: str | None = None


class Session:
    """A worker in the user's interpreter; use as a context manager, which ends every child and removes the scratch."""

    def __init__(self, target: Target, python: str, limits: Limits) -> None:
        self.target = target
        self.python = python
        self.limits = limits
        self.executions = 0
        self.scratch = Path(tempfile.mkdtemp(prefix="warp-gradients-"))
        self.worker_info: dict[str, Any] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._groups: set[int] = set()
        self._run_count = 0
        self._listener, self._address = _listen(self.scratch)
        self._worker: Channel | None = None

    def __enter__(self) -> Session:
        try:
            self._worker = self._start_worker()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- running ----------------------------------------------------------------------------------------------
    @property
    def can_fork(self) -> bool:
        """True if children are forked from one worker rather than started afresh."""
        return self.limits.fork and bool(self.worker_info.get("can_fork"))

    def start(self, plan: Plan) -> Run:
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
                "overrides": self.target.overrides,
            },
            "allow_writes": self.limits.allow_writes,
            "max_memory": self.limits.memory,
            "passthrough": [str(self.scratch), *_cache_folders()],
        }
        if self.can_fork:
            assert self._worker is not None
            self._worker.send({"command": "fork", **request})
            reply = self._worker.receive()
            if reply is None:
                raise ExecutionFailed("worker-died", "The worker process ended unexpectedly; run the command again.")
            channel, hello = self._accept("run")
            self._groups.add(hello["pid"])
            return Run(self, plan, channel, hello["pid"])
        channel = self._start_worker()
        channel.send({"command": "become", **request})
        return Run(self, plan, channel, self._processes[-1].pid)

    def record(self, plan: Plan, on_wait: Callable[[], None] | None = None) -> Recording:
        """Run the program to the plan's end and load what was recorded."""
        run = self.start(plan)
        try:
            return run.recording(self.limits.seconds, on_wait)
        finally:
            run.close()

    def evaluate_afresh(
        self, event: int, buffer: str, points: list[np.ndarray | None], objective: Objective
    ) -> list[EvaluationResult]:
        """Evaluations without fork: the program from its beginning, once per point."""
        results = []
        for start in range(0, len(points), self.limits.jobs):
            runs = [self._start_evaluation(event, buffer, p, objective) for p in points[start : start + self.limits.jobs]]
            for run in runs:
                message = run.wait(self.limits.seconds) or {"status": "timeout"}
                values = tuple(float(v) for v in message.get("values", ()))
                results.append(EvaluationResult(message.get("status", "crash"), values, message.get("structure")))
                run.close()
        return results

    def _start_evaluation(self, event: int, buffer: str, point: np.ndarray | None, objective: Objective) -> Run:
        plan = Plan(level="light", iterations=10**9, objective=objective)
        if point is not None:
            file = self.scratch / f"point-{self._run_count}.npy"
            np.save(file, point)
            plan.writes = [Write(event, buffer, str(file))]
        return self.start(plan)

    def reap(self, pid: int) -> int:
        """Exit status of a child; negative for a signal."""
        self._groups.discard(pid)
        if not self.can_fork:
            process = next((p for p in self._processes if p.pid == pid), None)
            return process.wait(timeout=10) if process is not None else 0
        assert self._worker is not None
        self._worker.send({"command": "reap", "pid": pid})
        reply = self._worker.receive()
        return int(reply["status"]) if reply else 0

    def close(self) -> None:
        """End every child and remove the scratch folder."""
        for group in list(self._groups):
            _kill_group(group)
        if self._worker is not None:
            self._worker.close()
        for process in self._processes:
            _kill_group(process.pid)
            with contextlib.suppress(Exception):
                process.kill()
            with contextlib.suppress(Exception):
                process.wait(timeout=5)
        self._listener.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    # --- the worker -------------------------------------------------------------------------------------------
    def _start_worker(self) -> Channel:
        environment = {**os.environ, "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0"), "PYTHONUNBUFFERED": "1"}
        # A fork of a process whose numerical libraries run thread pools can hang; one thread also makes repeats equal.
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment.setdefault(name, "1")
        try:
            process = subprocess.Popen(
                [self.python, str(_WORKER), self._address],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=self.target.cwd,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ExecutionFailed(
                "no-interpreter", f"`{self.python}` cannot be started ({error.strerror}). Name another with --python."
            ) from None
        self._processes.append(process)
        channel, hello = self._accept("worker", process)
        self.worker_info.update(hello)
        ready = channel.receive()
        if ready is None or ready["type"] != "ready":
            detail = (ready or {}).get("detail", "")
            raise ExecutionFailed(
                "no-warp",
                f"`import warp` fails in {self.python}: {detail or 'the process ended'}. Name an interpreter that has "
                "warp-lang with --python, or install it into a fresh virtual environment.",
                detail,
            )
        self.worker_info.update(ready)
        return channel

    def _accept(self, role: str, process: subprocess.Popen[bytes] | None = None) -> tuple[Channel, dict[str, Any]]:
        deadline = time.monotonic() + 120
        self._listener.settimeout(0.5)
        while time.monotonic() < deadline:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                if process is not None and process.poll() is not None:
                    break
                continue
            connection.settimeout(None)
            channel = Channel(connection)
            hello = channel.receive()
            if hello is not None and hello["role"] == role:
                return channel, hello
        errors = process.stderr.read().decode(errors="replace") if process is not None and process.stderr else ""
        raise ExecutionFailed(
            "no-interpreter", f"`{self.python}` did not start as a Python interpreter.", errors.strip()
        )


class Run:
    """One execution in progress."""

    def __init__(self, session: Session, plan: Plan, channel: Channel, pid: int) -> None:
        self.session = session
        self.plan = plan
        self.channel = channel
        self.pid = pid
        self._file_count = 0

    @property
    def folder(self) -> Path:
        """Where the run's files are."""
        return Path(self.plan.out)

    def wait(self, seconds: float, on_wait: Callable[[], None] | None = None) -> dict[str, Any] | None:
        """The next message of the run; None once it ended. Past the time the program is asked to stop, then killed."""
        deadline = time.monotonic() + seconds
        for sign in (signal.SIGTERM, signal.SIGKILL, None):
            while time.monotonic() < deadline:
                try:
                    return self.channel.receive(0.25)
                except TimeoutError:
                    if on_wait is not None:
                        on_wait()
            if sign is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, sign)
                deadline = time.monotonic() + 10
        return None

    def recording(self, seconds: float, on_wait: Callable[[], None] | None = None) -> Recording:
        """Wait for the end and load the recording.

        Raises:
            ExecutionFailed: the process died without writing one.
        """
        message = self.wait(seconds, on_wait)
        if message is not None and message["type"] == "harness-failure":
            raise ExecutionFailed(
                "internal", "The recorder failed inside the program; this is a fault of the harness.", message["detail"]
            )
        if not (self.folder / "recording.json").exists():
            status = self.session.reap(self.pid)
            raise ExecutionFailed("crashed", _describe_death(status, self.session.target.label), self.output())
        return load(str(self.folder))

    def output(self, limit: int = 4000) -> str:
        """Tail of what the program printed, standard error last."""
        parts = []
        for name in ("stdout.txt", "stderr.txt"):
            with contextlib.suppress(OSError):
                parts.append((self.folder / name).read_text(errors="replace")[-limit:])
        return "\n".join(p for p in parts if p.strip())

    # --- requests to a paused run -----------------------------------------------------------------------------
    def request(self, seconds: float, **body: Any) -> dict[str, Any]:
        """Send one request to the paused program and wait for the answer."""
        self.channel.send(body)
        reply = self.wait(seconds)
        if reply is None:
            raise ExecutionFailed("crashed", "The paused program ended while it was being evaluated.", self.output())
        return reply

    def contents(self, buffer: str) -> np.ndarray | None:
        """Contents of an array where the program stands."""
        file = self._file()
        reply = self.request(self.session.limits.seconds, command="contents", buffer=buffer, file=file)
        return np.load(file) if reply.get("found") else None

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
        self.session.executions += len(runs)
        body = {"contributions": [vars(c) for c in objective.contributions], "last_backward": objective.last_backward}
        reply = self.request(
            timeout * (len(runs) + 1), command="evaluate", runs=runs, objective=body,
            jobs=self.session.limits.jobs, timeout=timeout,
        )  # fmt: skip
        for run in runs:
            if "file" in run:
                os.unlink(run["file"])
        ordered = sorted(reply["results"], key=lambda r: int(r["id"]))
        return [
            EvaluationResult(r["status"], tuple(float(v) for v in r.get("values", ())), r.get("structure"))
            for r in ordered
        ]

    def record_from_here(self, iterations: int, timeout: float) -> Recording | None:
        """Go on recording from here, in a fork, up to the end of iteration ``iterations - 1``."""
        self._file_count += 1
        out = self.folder / f"fork-{self._file_count}"
        self.session.executions += 1
        self.request(timeout, command="record", out=str(out), iterations=iterations, timeout=timeout)
        return load(str(out)) if (out / "recording.json").exists() else None

    def resume(self) -> None:
        """Let the paused program go on to the next pause."""
        self.channel.send({"command": "continue"})

    def close(self) -> None:
        """End the run."""
        self.channel.close()
        _kill_group(self.pid)
        with contextlib.suppress(Exception):
            self.session.reap(self.pid)

    def _file(self) -> str:
        self._file_count += 1
        return str(self.folder / f"exchange-{self._file_count}.npy")


def _listen(folder: Path) -> tuple[socket.socket, str]:
    if hasattr(socket, "AF_UNIX"):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        place = str(folder / "socket")
        listener.bind(place)
        address = f"unix:{place}"
    else:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", 0))
        address = f"tcp:{listener.getsockname()[1]}"
    listener.listen(16)
    return listener, address


def _cache_folders() -> list[str]:
    """Folders that belong to tools rather than to the user's project: written through the overlay."""
    folders = [tempfile.gettempdir(), os.path.expanduser("~/.cache"), os.environ.get("WARP_CACHE_PATH", "")]
    if sys.platform == "win32":
        folders.append(os.environ.get("LOCALAPPDATA", ""))
    return [f for f in folders if f]


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):
        os.killpg(pid, signal.SIGKILL)


def _describe_death(status: int, program: str) -> str:
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        hint = " It was killed, most likely for memory." if name == "SIGKILL" else ""
        return f"`{program}` crashed the interpreter ({name}) while it was being recorded.{hint}"
    return f"`{program}` ended the interpreter (exit status {status}) before anything could be recorded."
