"""One line of progress on standard error, for anything longer than two seconds."""

from __future__ import annotations

import sys
import time
from types import TracebackType

DELAY = 2.0


class Reporter:
    """Called with the stage at hand; shows nothing before `DELAY` seconds have passed."""

    def __init__(self, program: str, is_shown: bool) -> None:
        self._program = program
        self._is_shown = is_shown
        self._started = time.monotonic()
        self._is_on_screen = False

    def __enter__(self) -> Reporter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_on_screen:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def __call__(self, stage: str) -> None:
        """Show the stage."""
        elapsed = time.monotonic() - self._started
        if self._is_shown and elapsed > DELAY:
            self._is_on_screen = True
            print(f"\r\033[K{self._program}: {stage} ({elapsed:.0f} s)", end="", file=sys.stderr, flush=True)
