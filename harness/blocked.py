"""Programs that do not get to a gradient: what happened, where, and what to do next."""

from __future__ import annotations

import math
import os
import re

from .execute.session import ExecutionFailed, Limits
from .options import VERSION
from .record.events import Recording
from .schema import Cost, Environment, Failure, Location, ProgramInfo, Report, Tool
from .trace.consumption import Consumptions, ParameterTrace
from .trace.source import Place, Source

_FRAME = re.compile(r'^  File "(?P<file>.+?)", line (?P<line>\d+)(?:, in (?P<function>.+))?$', re.MULTILINE)


def why_blocked(
    recording: Recording,
    consumptions: Consumptions,
    traces: list[ParameterTrace],
    source: Source,
    program: str,
) -> Failure | None:
    """The reason there is nothing to judge; None if there is."""
    status, detail = recording.outcome["status"], recording.outcome["detail"]
    if traces:
        return _loss_not_finite(traces, source, program)
    if status not in ("completed", "stopped", "timeout", "exit"):
        return _raised(status, detail, source, program)
    if status == "exit" and detail != "0":
        code, said = (detail, "") if detail.lstrip("-").isdigit() else ("1", f", saying {detail.strip()!r},")
        return Failure(
            reason="exit",
            message=f"`{program}` left with exit code {code}{said} before it consumed a gradient.",
            next_step="Run it by itself to see why; arguments for it go after `--`.",
        )
    if status == "timeout":
        return Failure(
            reason="timeout",
            message=f"`{program}` consumed no gradient within the time limit ({recording.outcome['seconds']:.0f} s).",
            next_step="Shrink the program with --set NAME=VALUE, or raise --timeout.",
        )
    return _no_gradient(recording, consumptions, source, program)


def _loss_not_finite(traces: list[ParameterTrace], source: Source, program: str) -> Failure | None:
    """A loss that is no number from the first iteration on has no derivative, so its gradient is not judged."""
    first = min((c for t in traces for c in t.consumptions), key=lambda c: c.pause)
    passes = [b for b in first.backwards if b.loss is not None]
    if not passes or any(math.isfinite(float(b.loss["value"])) for b in passes if b.loss is not None):
        return None
    assert passes[0].loss is not None
    value = float(passes[0].loss["value"])
    word = "NaN" if math.isnan(value) else "infinite"
    name = source.name(passes[0].loss["buffer"])
    place = _location(source.place(passes[0].event.site), source)
    where = f" at {place}" if place is not None else ""
    return Failure(
        reason="loss-not-finite",
        message=f"`{name}` is {word} in the first iteration, when backward() starts{where}; "
        f"there is no derivative to compare with.",
        location=place,
        next_step="Find the launch that makes it: wp.config.verify_fp = True at the top of the program names it.",
    )


def _raised(status: str, detail: str, source: Source, program: str) -> Failure:
    last = detail.strip().splitlines()[-1] if detail.strip() else status
    kind = last.partition(":")[0].rpartition(".")[2]
    place = _last_frame(detail, source)
    where = f" at {place}" if place is not None else ""
    if status == "InputRequested":
        return Failure(
            reason="asks-for-input", message=f"`{program}` asks for input{where}; nobody answers here.",
            traceback=detail, location=place, next_step="Give the value as an argument after `--`, or with --set.",
        )  # fmt: skip
    missing = re.match(r"ModuleNotFoundError: No module named '(.+?)'", last)
    if missing:
        step = f"Install `{missing[1]}` into the interpreter that runs the program, or name another with --python."
        reason = "missing-package"
    elif kind.endswith("MemoryError"):
        step, reason = "Shrink the program with --set NAME=VALUE, or raise --max-memory.", "out-of-memory"
    elif "see --allow-writes" in last:
        step = "Let the program skip it, or run with --allow-writes, which lets it write and start programs for real."
        reason = "not-kept-apart"
    elif "cuda" in last.lower():
        step, reason = "Run on a machine with the device, or make the program take `cpu`.", "device-missing"
    else:
        step, reason = "Run it by itself; it fails the same way there.", "exception"
    message = f"`{program}` raises {kind}{where} before it consumes a gradient."
    return Failure(reason=reason, message=message, traceback=detail, location=place, next_step=step)


def _last_frame(detail: str, source: Source) -> Location | None:
    frames = list(_FRAME.finditer(detail))
    inside = [f for f in frames if os.path.abspath(f["file"]).startswith(source.folder)]
    own = inside or [f for f in frames if "site-packages" not in f["file"]] or frames
    if not own:
        return None
    frame = own[-1]
    return Location(file=source.relative(frame["file"]), line=int(frame["line"]), function=frame["function"])


def _no_gradient(recording: Recording, consumptions: Consumptions, source: Source, program: str) -> Failure:
    backwards = consumptions.backwards
    if backwards:
        return Failure(
            reason="no-gradient-read",
            message=f"`{program}` runs backward {_times(len(backwards))}, but never reads a parameter's gradient.",
            location=_location(source.place(backwards[0].event.site), source),
            next_step="Read it once after backward, for example print(params.grad.numpy()), and run again.",
        )
    if any(e.kind == "tape-enter" for e in recording.events):
        return Failure(
            reason="no-backward",
            message=f"`{program}` records on a wp.Tape, but never calls backward().",
            next_step="Let the run get to its first backward pass.",
        )
    return Failure(
        reason="no-tape",
        message=f"`{program}` ran to its end without a wp.Tape; there is no gradient to judge.",
        next_step="Name the script that trains or optimises, with its arguments after `--`.",
    )


def _location(place: Place | None, source: Source) -> Location | None:
    if place is None:
        return None
    return Location(file=source.relative(place.file), line=place.line, function=place.function, snippet=place.snippet)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def blocked_report(error: ExecutionFailed, limits: Limits, environment: Environment, program: ProgramInfo) -> Report:
    """A report for a program that died before anything could be recorded."""
    if error.reason == "timeout":
        step = "Shrink the program with --set NAME=VALUE, or raise --timeout."
    elif limits.memory is not None:
        step = f"Raise --max-memory ({limits.memory / 2**30:g} GiB), or shrink the program with --set NAME=VALUE."
    else:
        step = "Run it by itself; if it survives there, run again with --no-fork."
    failure = Failure(reason=error.reason, message=str(error), traceback=error.detail or None, next_step=step)
    return Report(
        tool=Tool(version=VERSION), verdict="blocked", summary=str(error), environment=environment, program=program,
        failure=failure, cost=Cost(seconds=0.0, executions=1),
    )  # fmt: skip
