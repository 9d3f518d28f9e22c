"""A bound in time for work inside this process."""

from __future__ import annotations

import contextlib
import signal
import threading
import types
from collections.abc import Iterator


class OutOfTime(Exception):
    """The work took longer than it may."""


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in the block after so many seconds. Only the main thread can be bounded; elsewhere, nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def raise_it(_: int, __: types.FrameType | None) -> None:
        raise OutOfTime(f"no end after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.01))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
