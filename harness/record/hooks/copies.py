"""Copies between arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import warp as wp

from .. import memory
from ..backward import TapeLog, active_tape
from ..events import Touches
from ..internals import context
from ..recorder import Recorder
from .deferred import replay_taped
from .entry_points import named_arguments, replace_everywhere


class CopyHooks:
    """Wraps ``wp.copy``."""

    def __init__(self, recorder: Recorder, log: TapeLog) -> None:
        self.rec = recorder
        self.log = log

    def install(self) -> None:
        """Wrap it wherever Warp refers to it."""
        rec, original = self.rec, context.copy

        @functools.wraps(original)
        def copy(*args: Any, **kwargs: Any) -> Any:
            if rec.depth or rec.backward_depth:
                return original(*args, **kwargs)
            given = named_arguments(original, args, kwargs)
            touches: Touches = []
            for path, reads, writes in (("src", True, False), ("dest", False, True)):
                array = given.get(path)
                array = getattr(array, "data", array) if isinstance(array, wp.indexedarray) else array
                touch = rec.touch(array, path, reads, writes) if isinstance(array, wp.array) else None
                if touch is not None:
                    touches.append((touch, array))
            self.log.note_gradient_write(touches, zeroes=False)
            info = {"inside_tape": rec.current_tape()}
            if rec.deferred is not None:
                return self._defer_copy(lambda: original(*args, **kwargs), touches, info)
            return rec.operation("copy", "copy", touches, lambda: original(*args, **kwargs), info)

        replace_everywhere(original, copy)

    def _defer_copy(self, run: Callable[[], Any], touches: Touches, info: dict[str, Any]) -> None:
        """Inside a capture: let Warp record the copy on the tape now, but leave the contents as they are."""
        rec, tape = self.rec, active_tape()
        position = len(tape.launches) if tape is not None else 0
        if tape is not None:
            kept = [(a, memory.host_copy(a)) for t, a in touches if t.writes]
            rec.depth += 1
            try:
                run()
            finally:
                rec.depth -= 1
            for array, contents in kept:
                memory.put(array, contents)
        taped = tape is not None and len(tape.launches) > position
        holder = {"tape": tape, "position": position}

        def run_copy() -> None:
            saved, context.runtime.tape = context.runtime.tape, None
            try:
                run()
            finally:
                context.runtime.tape = saved

        def run_once() -> None:
            if taped:
                replay_taped(rec, self.log, holder, "copy", "copy", touches, run_copy, info)
            else:
                rec.operation("copy", "copy", touches, run_copy, dict(info))

        assert rec.deferred is not None
        rec.deferred.append(run_once)
