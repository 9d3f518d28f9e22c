"""All processes that a command has started: what they use, and their end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

_SUBREAPER = 36
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Used(NamedTuple):
    """What the processes of a command use together."""

    processes: int
    memory: int
    """Bytes in main memory."""


class Tree:
    """The processes below one that we have started, orphans included (on Linux)."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        if sys.platform.startswith("linux"):
            # Orphans become our children instead of leaving the tree.
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        self._ours = _children_of(os.getpid()) - {process.pid}

    def used(self) -> Used:
        """What is used now. The starter itself is not counted."""
        below = self._below() - {self._process.pid}
        return Used(len(below), sum(_memory(pid) for pid in below))

    def end(self) -> None:
        """Kill all of them, also those that have left the process group."""
        for _ in range(100):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            below = self._below()
            for pid in below:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if self._process.poll() is not None and not below - {self._process.pid}:
                break
            for pid in below - {self._process.pid}:
                with contextlib.suppress(OSError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.02)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _below(self) -> set[int]:
        parents = _parents()
        found = {self._process.pid} if self._process.poll() is None else set()
        found |= {pid for pid, parent in parents.items() if parent == os.getpid() and pid not in self._ours}
        grown = True
        while grown:
            new = {pid for pid, parent in parents.items() if parent in found} - found
            found |= new
            grown = bool(new)
        return found


def _parents() -> dict[int, int]:
    """Process id -> that of its parent, for every process that can be seen."""
    found = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    # The command's name is in brackets and may hold anything.
                    after = Path("/proc", name, "stat").read_text(errors="replace").rpartition(")")[2].split()
                    found[int(name)] = int(after[1])
    return found


def _children_of(pid: int) -> set[int]:
    return {child for child, parent in _parents().items() if parent == pid}


def _memory(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc", str(pid), "statm").read_text().split()[1]) * _PAGE
    return 0
