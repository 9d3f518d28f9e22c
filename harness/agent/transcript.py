"""Writes events as they come, without secrets and without the user's home folder, and reads them back."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.agent.events import ANY_EVENT, AnyEvent
from harness.agent.scrub import Scrubber
from harness.options import UsageError

_LONGEST = 8_000


class Transcript:
    """Appends to a file; each event is on disk before the next thing happens."""

    def __init__(
        self,
        path: Path,
        scrubber: Scrubber,
        seconds_before: float = 0.0,
        follow: Callable[[AnyEvent], None] | None = None,
    ) -> None:
        self._scrubber = scrubber
        self._started = time.monotonic() - seconds_before
        self._follow = follow
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._file = os.fdopen(descriptor, "a", encoding="utf-8")

    def add(self, event: AnyEvent) -> None:
        """Write one event."""
        at = round(time.monotonic() - self._started, 3)
        data = _shortened(self._scrubber.value(event.model_copy(update={"at": at}).model_dump(mode="json")))
        written = ANY_EVENT.validate_python(data)
        self._file.write(written.model_dump_json() + "\n")
        self._file.flush()
        if self._follow is not None:
            self._follow(written)

    def close(self) -> None:
        """Nothing more will come."""
        self._file.close()


def read(path: Path) -> list[AnyEvent]:
    """The events of a transcript; a last line that was cut off is left out.

    Raises:
        UsageError: it is no transcript.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise UsageError(f"`{path}` cannot be read ({error.strerror}).") from None
    events = []
    for number, line in enumerate(lines, start=1):
        try:
            events.append(ANY_EVENT.validate_json(line))
        except ValidationError:
            if number == len(lines) and events:
                break
            raise UsageError(f"`{path}` is no transcript of the agent: line {number} is no event.") from None
    if not events:
        raise UsageError(f"`{path}` is no transcript of the agent: it is empty.")
    return events


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}\n[{len(value) - _LONGEST} characters left out of the transcript]"
    if isinstance(value, dict):
        return {key[:200]: _shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value[:200]]
    return value
