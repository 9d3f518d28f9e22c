"""Launches: forward ones, adjoint ones, and those inside a graph capture."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from ..backward import TapeLog, active_tape
from ..events import Touches
from ..internals import context
from ..recorder import Recorder
from .arguments import Arguments
from .deferred import replay_taped
from .entry_points import named_arguments, replace_everywhere


class LaunchHooks:
    """Wraps ``wp.launch``."""

    def __init__(self, recorder: Recorder, log: TapeLog, arguments: Arguments) -> None:
        self.rec = recorder
        self.log = log
        self.arguments = arguments

    def install(self) -> None:
        """Wrap it wherever Warp refers to it."""
        rec, original = self.rec, context.launch
        rec.original_launch = original

        @functools.wraps(original)
        def launch(*args: Any, **kwargs: Any) -> Any:
            given = named_arguments(original, args, kwargs)
            if rec.depth:
                return original(*args, **kwargs)
            if given.get("adjoint"):
                return self.adjoint_launch(given, lambda: original(*args, **kwargs))
            if rec.backward_depth:
                return original(*args, **kwargs)
            if given.get("record_cmd"):
                command = original(*args, **kwargs)
                command._recorded_arguments = [*given.get("inputs", ()), *given.get("outputs", ())]
                command._recorded_given = given
                return command
            return self.forward_launch(given, original)

        replace_everywhere(original, launch)

    def forward_launch(self, given: dict[str, Any], original: Any) -> Any:
        """One launch of the program."""
        rec = self.rec
        kernel = given["kernel"]
        if rec.is_bare and rec.deferred is None:
            return rec.run_bare("launch", str(kernel.key), given["dim"], lambda: original(**given))
        arguments = [*given.get("inputs", ()), *given.get("outputs", ())]
        touches = self.arguments.touches(kernel, arguments)
        if not given.get("record_tape", True):
            info: dict[str, Any] = {"dim": str(given["dim"]), "record_tape": False}
            return run_launch(rec, self.log, "untaped-launch", kernel, touches, lambda: original(**given), info)
        rec.note_kernel(kernel)
        info = {"dim": str(given["dim"]), "scalars": _scalars(kernel, arguments)}
        if rec.deferred is not None:
            return self._defer_launch(given, original, info)
        rec.control.launch_arguments = given
        return run_launch(rec, self.log, "launch", kernel, touches, lambda: original(**given), info)

    def _defer_launch(self, given: dict[str, Any], original: Any, info: dict[str, Any]) -> None:
        """Inside a capture: record on the tape now, run (and note) at every launch of the graph."""
        rec, tape = self.rec, active_tape()
        holder: dict[str, Any] = {}
        if tape is not None:
            position = len(tape.launches)
            inputs, outputs = list(given.get("inputs", ())), list(given.get("outputs", ()))
            device = given.get("device")
            tape.record_launch(
                given["kernel"], given["dim"], given.get("max_blocks", 0), inputs, outputs, device,
                given.get("block_dim") or 256,
            )  # fmt: skip
            holder.update(tape=tape, position=position)
        untaped = {**given, "record_tape": False}

        def run_once() -> None:
            rec.control.launch_arguments = given
            fresh = self.arguments.touches(given["kernel"], [*given.get("inputs", ()), *given.get("outputs", ())])
            if not holder:
                run_launch(rec, self.log, "launch", given["kernel"], fresh, lambda: original(**untaped), dict(info))
                return
            name, run = str(given["kernel"].key), functools.partial(original, **untaped)
            replay_taped(rec, self.log, holder, "launch", name, fresh, run, info)

        assert rec.deferred is not None
        rec.deferred.append(run_once)

    def adjoint_launch(self, given: dict[str, Any], run: Callable[[], Any]) -> Any:
        """An adjoint launch: by `Tape.backward`, or by the program itself."""
        rec = self.rec
        tape = rec.control.running_tape
        bound = self.log.find(tape, given.get("inputs")) if tape is not None else None
        if bound is not None:
            return self.log.adjoint(bound, run)
        if not rec.backward_depth:
            rec.note("adjoint", str(given["kernel"].key), {"of": None, "by_program": True})
            self._note_adjoint_outputs(given)
        return run()

    def _note_adjoint_outputs(self, given: dict[str, Any]) -> None:
        """What an adjoint launch of the program's own writes can seed the next backward pass."""
        for value, gradient in zip(given.get("inputs", ()), given.get("adj_inputs", ()), strict=False):
            written = gradient if gradient is not None else getattr(value, "grad", None)
            buffer = self.rec.memory.of(written) if isinstance(written, wp.array) and written.ptr else None
            if buffer is not None and buffer.gradient_of:
                buffer.invalidate()
                self.log.user_written.add(buffer.key)


def run_launch(
    rec: Recorder, log: TapeLog, kind: str, kernel: Any, touches: Touches, run: Callable[[], Any], info: dict[str, Any]
) -> Any:
    """Run one launch of the program as an operation."""
    log.note_gradient_write(touches, zeroes=False)
    return rec.operation(kind, str(kernel.key), touches, run, info)


def _scalars(kernel: Any, arguments: list[Any]) -> dict[str, float]:
    """Floating-point numbers passed by value, by argument name."""
    pairs = zip(kernel.adj.args, arguments, strict=False)
    return {a.label: float(v) for a, v in pairs if isinstance(v, (float, np.floating, wp.float32, wp.float64))}
