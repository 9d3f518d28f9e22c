"""Call sites: which line of the user's code is responsible for an operation.

Warp's own record of a launch's caller is the frame that called ``wp.launch``; a wrapper hides the user's line
(WARP_FACTS, "Where programs touch Warp"). The stack is therefore walked here, and frames of Warp, of this harness
and of the interpreter's machinery are skipped.
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

MAX_FRAMES = 5
"""User frames kept for one site: the line itself and who called it."""

_HARNESS_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

Frame = tuple[str, int, str]
"""(file, line, function) of one frame, innermost first in a site."""


class SiteTable:
    """Interned call sites; an event holds the index of its site."""

    def __init__(self, skipped_folders: tuple[str, ...]) -> None:
        self._skipped = (_HARNESS_ROOT + os.sep, *(os.path.join(f, "") for f in skipped_folders))
        self._is_user_file: dict[str, bool] = {}
        self._index: dict[tuple[Frame, ...], int] = {}
        self.table: list[tuple[Frame, ...]] = []

    def current(self) -> int:
        """Index of the innermost user frames of the running call; a site may be empty."""
        frame: types.FrameType | None = sys._getframe(1)
        found: list[Frame] = []
        while frame is not None and len(found) < MAX_FRAMES:
            code = frame.f_code
            if self.is_users(code.co_filename):
                found.append((code.co_filename, frame.f_lineno, code.co_name))
            frame = frame.f_back
        key = tuple(found)
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.table)
            self.table.append(key)
        return index

    def is_users(self, filename: str) -> bool:
        """True for code that is neither Warp's, nor ours, nor the standard library's."""
        known = self._is_user_file.get(filename)
        if known is None:
            is_machinery = filename.startswith("<") and not filename.startswith("<string>")
            is_stdlib = filename.startswith(os.path.dirname(os.__file__) + os.sep) and "site-packages" not in filename
            known = not is_machinery and not is_stdlib and not os.path.abspath(filename).startswith(self._skipped)
            self._is_user_file[filename] = known
        return known


def to_json(table: list[tuple[Frame, ...]]) -> list[Any]:
    """The table as plain lists, for the recording file."""
    return [[list(frame) for frame in site] for site in table]
