"""Runs a command with a time limit, and takes all its children with it when the time is up."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ended:
    """What became of a command."""

    code: int | None
    """None: it was ended when its time was up."""
    stdout: str
    stderr: str
    seconds: float


def run(command: Sequence[str], cwd: Path, timeout: float, environment: dict[str, str] | None = None) -> Ended:
    """Run a command to its end, without input.

    Raises:
        OSError: it cannot be started.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    code: int | None
    try:
        stdout, stderr = process.communicate(timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        code = None
        _end_group(process)
        stdout, stderr = process.communicate()
    finally:
        _end_group(process)
    return Ended(code, stdout, stderr, time.perf_counter() - started)


def _end_group(process: subprocess.Popen[str]) -> None:
    # The session may outlive its leader: children that hold our pipes would keep us waiting.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
