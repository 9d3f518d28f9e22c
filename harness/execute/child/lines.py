"""Which lines of the user's files run, for one execution that is compared with another: on the host, and as far as
branches go, in kernels.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from .kernel_lines import KernelLines

Trace = Callable[[FrameType, str, Any], Any]


class Lines:
    """Collects line numbers by file, through the interpreter's trace function; ``is_users`` says whose a file is."""

    def __init__(self, is_users: Callable[[str], bool]) -> None:
        self._is_users = is_users
        self._seen: dict[str, set[int]] = {}
        self._traces: dict[str, Trace | None] = {}
        self._kernels = KernelLines(self._is_program)
        self._sees_kernels = False

    def install(self, sees_kernels: bool) -> None:
        """Collect from now on, in threads too."""
        self._sees_kernels = sees_kernels and self._kernels.install()
        sys.settrace(self._enter)
        threading.settrace(self._enter)

    def to_json(self) -> dict[str, list[int]]:
        """Line numbers by file, in ascending order."""
        seen = {file: set(lines) for file, lines in self._seen.items()}
        if self._sees_kernels:
            for file, lines in self._kernels.seen().items():
                seen.setdefault(file, set()).update(lines)
        return {file: sorted(lines) for file, lines in seen.items()}

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Trace | None:
        file = frame.f_code.co_filename
        if file not in self._traces:
            self._traces[file] = self._trace_of(file) if self._is_program(file) else None
        return self._traces[file]

    def _is_program(self, file: str) -> bool:
        return self._is_users(file) and "site-packages" not in os.path.abspath(file).split(os.sep)

    def _trace_of(self, file: str) -> Trace:
        lines = self._seen.setdefault(file, set())

        def trace(frame: FrameType, event: str, argument: Any) -> Trace:
            if event == "line":
                lines.add(frame.f_lineno)
            return trace

        return trace
