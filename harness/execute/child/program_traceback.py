"""The user's exception as Python itself would have printed it: without any frame of ours."""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    ExceptionInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]

# .../harness/execute/child/program_traceback.py -> .../harness/
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep


def is_ours(filename: str) -> bool:
    """Whether a code object with this file name belongs to the harness."""
    return filename.startswith(_OURS)


def user_traceback(exc_info: ExceptionInfo) -> str:
    """What `python script.py` would have printed for `exc_info` (as `sys.exc_info()` gives it)."""
    kind, value, trace = exc_info
    if kind is None or value is None:
        return ""
    shown = traceback.TracebackException(kind, value, trace)
    _drop_our_frames(shown)
    return "".join(shown.format())


def _drop_our_frames(shown: traceback.TracebackException | None) -> None:
    if shown is None:
        return
    shown.stack[:] = [frame for frame in shown.stack if not is_ours(frame.filename)]
    _drop_our_frames(shown.__cause__)
    _drop_our_frames(shown.__context__)
    for inner in getattr(shown, "exceptions", None) or ():
        _drop_our_frames(inner)
