"""Tapes: entering, leaving, running backward, zeroing."""

from __future__ import annotations

from typing import Any

import warp as wp

from ..backward import TapeLog
from ..events import Event, Touches
from ..recorder import Recorder


class TapeHooks:
    """Wraps ``wp.Tape``."""

    def __init__(self, recorder: Recorder, log: TapeLog) -> None:
        self.rec = recorder
        self.log = log

    def install(self) -> None:
        """Wrap what a program does with a tape."""
        cls = wp.Tape
        self._wrap_scope(cls)
        self._wrap_backward(cls)
        self._wrap_zero_and_reset(cls)
        self._wrap_functions(cls)

    def _wrap_scope(self, cls: Any) -> None:
        rec, enter, leave = self.rec, cls.__enter__, cls.__exit__

        def tape_enter(tape: Any) -> Any:
            if not tape.launches:
                rec.renew_tape(tape)
            result = enter(tape)
            rec.note("tape-enter", "tape", {"tape": rec.tape_id(tape), "entries": len(tape.launches)})
            rec.control.tape_entered(tape)
            return result

        def tape_exit(tape: Any, *args: Any) -> Any:
            result = leave(tape, *args)
            rec.note("tape-exit", "tape", {"tape": rec.tape_id(tape), "entries": len(tape.launches)})
            return result

        cls.__enter__, cls.__exit__ = tape_enter, tape_exit

    def _wrap_backward(self, cls: Any) -> None:
        rec, log, backward = self.rec, self.log, cls.backward

        def tape_backward(tape: Any, loss: Any = None, grads: Any = None) -> Any:
            if rec.deferred is not None:
                launches = list(tape.launches)
                rec.deferred.append(lambda: run_backward(tape, loss, grads, launches))
                return None
            return run_backward(tape, loss, grads, None)

        def run_backward(tape: Any, loss: Any, grads: Any, launches: list[Any] | None) -> Any:
            if rec.backward_depth:
                return backward(tape, loss, grads)
            rec.control.running_grads = grads or {}
            begin = log.begin(tape, loss, grads)
            rec.backward_depth += 1
            rec.control.running_tape = tape
            current = tape.launches
            if launches is not None:
                tape.launches = launches
            try:
                return backward(tape, loss, grads)
            finally:
                tape.launches = current
                rec.control.running_tape = None
                rec.backward_depth -= 1
                log.end(begin, tape)

        cls.backward = tape_backward

    def _wrap_zero_and_reset(self, cls: Any) -> None:
        rec, log, zero, reset = self.rec, self.log, cls.zero, cls.reset

        def tape_zero(tape: Any) -> Any:
            if rec.deferred is not None:
                rec.deferred.append(lambda: tape_zero(tape))
                return None
            if not rec.depth:
                info = {"tape": rec.tape_id(tape), "gradients": len(tape.gradients)}
                rec.note("tape-zero", "zero", info)
            rec.depth += 1
            try:
                return zero(tape)
            finally:
                rec.depth -= 1

        def tape_reset(tape: Any) -> Any:
            rec.note("tape-reset", "reset", {"tape": rec.tape_id(tape), "entries": len(tape.launches)})
            log.reset(tape)
            return reset(tape)

        cls.zero, cls.reset = tape_zero, tape_reset

    def _wrap_functions(self, cls: Any) -> None:
        """Functions that a program records on the tape itself."""
        rec, log, record_func = self.rec, self.log, cls.record_func

        def tape_record_func(tape: Any, backward: Any = None, arrays: Any = (), **kwargs: Any) -> Any:
            if rec.depth or rec.backward_depth or rec.deferred is not None:
                return record_func(tape, backward, arrays, **kwargs)
            pairs = [(rec.touch(a, f"arrays[{i}]", True, True), a) for i, a in enumerate(arrays)]
            touches: Touches = [(t, a) for t, a in pairs if t is not None]
            name = getattr(backward, "__name__", "function")
            position = len(tape.launches)
            event = rec.begin("func", name, touches)
            event.tape = rec.tape_id(tape)
            self._tell_inputs(event, touches)
            result = record_func(tape, backward, arrays, **kwargs)
            log.bind(tape, position, event, touches)
            rec.end(event, touches)
            return result

        cls.record_func = tape_record_func

    def _tell_inputs(self, event: Event, touches: Touches) -> None:
        """Of a function only its arrays are known: those neither made nor written since the tape began are inputs."""
        written: set[str] = set()
        for earlier in reversed(self.rec.events[:-1]):
            written.update(t.buffer for t in earlier.touches if t.writes)
            if earlier.kind == "tape-enter" and earlier.info["tape"] == event.tape:
                for touch, _ in touches:
                    is_new = self.rec.memory.buffers[touch.buffer].created > earlier.seq
                    touch.writes = is_new or touch.buffer in written
                return
