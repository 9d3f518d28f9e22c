"""What a program gets instead of the terminal: a clear refusal at the line that asked."""

from __future__ import annotations

import io
import sys
from types import FrameType
from typing import Any

from .program_traceback import is_ours


class InputRequested(EOFError):
    """The program asked for input. `file` and `line` say where; both None if the caller is not Python code."""

    def __init__(self, file: str | None, line: int | None) -> None:
        where = f" at {file}:{line}" if file else ""
        super().__init__(f"The program asks for input{where}, and there is nobody to answer while it is checked.")
        self.file = file
        self.line = line


class NoInput(io.TextIOBase):
    """A standard input that raises `InputRequested` on any read."""

    encoding = "utf-8"
    name = "<stdin>"
    mode = "r"

    @property
    def buffer(self) -> NoInput:
        """The byte stream below; it refuses as well."""
        return self

    def readable(self) -> bool:
        """Reading is what it is for, if only to refuse."""
        return True

    def read(self, size: int | None = -1, /) -> Any:
        """Raise `InputRequested`."""
        raise _request()

    def readline(self, size: int | None = -1, /) -> Any:
        """Raise `InputRequested`."""
        raise _request()

    def __next__(self) -> Any:
        raise _request()

    def fileno(self) -> int:
        """There is none, so `input()` comes to `readline`."""
        raise io.UnsupportedOperation("fileno")


def _request() -> InputRequested:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return InputRequested(None, None)
    return InputRequested(frame.f_code.co_filename, frame.f_lineno)
