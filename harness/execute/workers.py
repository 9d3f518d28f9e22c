"""Worker processes in the user's interpreter, and the socket on which they and their children connect."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from .child.channel import Channel
from .session import ExecutionFailed

_MAIN = Path(__file__).parent / "child" / "main.py"
_START_SECONDS = 120.0


class Workers:
    """Starts worker processes, takes their connections, and ends whatever is left."""

    def __init__(self, python: str, cwd: str) -> None:
        self.python = python
        self.cwd = cwd
        self.scratch = Path(tempfile.mkdtemp(prefix="warp-gradients-"))
        self.info: dict[str, Any] = {}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._groups: set[int] = set()
        self._listener, self._address = _listen(self.scratch)

    def start(self) -> tuple[Channel, int]:
        """A new worker that has imported Warp, and its process id.

        Raises:
            ExecutionFailed: no interpreter, or no Warp in it.
        """
        errors = self.scratch / f"worker-{len(self._processes)}.txt"
        try:
            with open(errors, "wb") as stream:
                process = subprocess.Popen(
                    [self.python, str(_MAIN), self._address, str(self.scratch)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stream,
                    cwd=self.cwd,
                    env=_environment(),
                    start_new_session=True,
                )
        except OSError as error:
            advice = "Name another interpreter with --python."
            if error.errno in (errno.EAGAIN, errno.ENOMEM):
                advice = (
                    "The machine has no process or memory left for it: try again when less is running, or --jobs 1."
                )
            message = f"`{self.python}` cannot be started ({error.strerror}). {advice}"
            raise ExecutionFailed("no-interpreter", message) from None
        self._processes[process.pid] = process
        self._groups.add(process.pid)
        connected = self._accept("worker", process.pid)
        if connected is None:
            detail = errors.read_text(errors="replace").strip()
            message = f"`{self.python}` does not start as a Python interpreter. Name another one with --python."
            raise ExecutionFailed("no-interpreter", message, detail[-2000:])
        channel, hello = connected
        ready = channel.receive()
        if ready is None or ready["type"] != "ready":
            raise _without_warp(self.python, (ready or {}).get("detail") or "the process ended")
        self.info.update(hello)
        self.info.update(ready)
        return channel, process.pid

    def accept_run(self, pid: int) -> Channel:
        """The connection of a child that a worker has forked."""
        self._groups.add(pid)
        connected = self._accept("run", pid)
        if connected is None:
            raise ExecutionFailed("worker-died", "A process of the program ended before it started; run it again.")
        return connected[0]

    def wait(self, pid: int) -> int | None:
        """Exit status of a worker, negative for a signal; None if it is no worker of ours."""
        self._groups.discard(pid)
        process = self._processes.get(pid)
        return None if process is None else process.wait(timeout=10)

    def end(self, pid: int) -> None:
        """Kill a process and all it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):
            os.killpg(pid, signal.SIGKILL)
        if pid in self._processes:
            with contextlib.suppress(OSError):
                self._processes[pid].kill()

    def close(self) -> None:
        """End every process and remove the scratch folder; a second Ctrl-C does not stop this."""
        with _uninterrupted():
            for pid in [*self._groups, *self._processes]:
                self.end(pid)
            for process in self._processes.values():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=5)
            self._listener.close()
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _accept(self, role: str, pid: int) -> tuple[Channel, dict[str, Any]] | None:
        deadline = time.monotonic() + _START_SECONDS
        self._listener.settimeout(0.5)
        while time.monotonic() < deadline:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                process = self._processes.get(pid)
                if process is not None and process.poll() is not None:
                    return None
                continue
            connection.settimeout(None)
            channel = Channel(connection)
            hello = channel.receive()
            if hello is not None and hello["role"] == role and hello["pid"] == pid:
                return channel, hello
            channel.close()
        return None


def _environment() -> dict[str, str]:
    environment = {**os.environ, "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0"), "PYTHONUNBUFFERED": "1"}
    # A fork of a process whose numerical libraries run thread pools can hang; one thread also makes repeats equal.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment.setdefault(name, "1")
    return environment


def _without_warp(python: str, detail: str) -> ExecutionFailed:
    return ExecutionFailed(
        "no-warp",
        f"`import warp` fails in {python}: {detail}. Name an interpreter that has warp-lang with --python, "
        "or install it into a fresh virtual environment.",
    )


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


@contextlib.contextmanager
def _uninterrupted() -> Any:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {s: signal.signal(s, signal.SIG_IGN) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
