"""Operations that a graph capture recorded on a tape and that run at every launch of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backward import TapeLog
from ..events import Touches
from ..internals import context
from ..recorder import Recorder


def replay_taped(
    rec: Recorder,
    log: TapeLog,
    holder: dict[str, Any],
    kind: str,
    name: str,
    touches: Touches,
    run: Callable[[], Any],
    info: dict[str, Any],
) -> None:
    """Run an operation that a capture recorded on a tape: an ordinary taped operation, but for the recording.

    ``holder``: the ``tape`` and the ``position`` of the entry on it.
    """
    if rec.is_bare:
        rec.run_bare(kind, name, info.get("dim"), run)
        return
    runtime = context.runtime
    runtime.tape = holder["tape"]
    try:
        event = rec.begin(kind, name, touches, dict(info))
    finally:
        runtime.tape = None
    rec.depth += 1
    try:
        run()
    finally:
        rec.depth -= 1
    log.bind_one(holder["tape"], holder["position"], event, touches)
    rec.end(event, touches)
