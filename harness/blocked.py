"""Programs that do not get to a gradient: what happened, where, and what to do next."""

from __future__ import annotations

import re

from .options import VERSION
from .record.events import Recording
from .schema import Cost, Environment, Failure, Location, ProgramInfo, Report, Tool
from .trace.consumption import Consumptions, ParameterTrace
from .trace.source import Source

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
        return None
    if status not in ("completed", "stopped", "timeout", "exit"):
        return _raised(status, detail, source, program)
    if status == "exit" and detail not in ("0", ""):
        return Failure(
            reason="exit",
            message=f"`{program}` left with exit code {detail} before it consumed a gradient.",
            next_step="Run it by itself to see why; arguments for it go after `--`.",
        )
    if status == "timeout":
        return Failure(
            reason="timeout",
            message=f"`{program}` consumed no gradient within the time limit ({recording.outcome['seconds']:.0f} s).",
            next_step="Shrink the program with --set NAME=VALUE, or raise --timeout.",
        )
    return _no_gradient(recording, consumptions, source, program)


def _raised(status: str, detail: str, source: Source, program: str) -> Failure:
    last = detail.strip().splitlines()[-1] if detail.strip() else status
    place = _last_frame(detail, source)
    where = f" at {place}" if place is not None else ""
    if status == "InputRequested":
        return Failure(
            reason="asks-for-input", message=f"`{program}` asks for input{where}; nobody answers here.",
            traceback=detail, location=place, next_step="Give the value as an argument after `--`, or with --set.",
        )  # fmt: skip
    if status == "OverrideError":
        return Failure(reason="override", message=last.partition(": ")[2] or last, next_step="Correct --set.")
    missing = re.match(r"ModuleNotFoundError: No module named '(.+?)'", last)
    if missing:
        step = f"Install `{missing[1]}` into the interpreter that runs the program, or name another with --python."
        reason = "missing-package"
    elif "CUDA" in last or "cuda" in last:
        step, reason = "Run on a machine with the device, or make the program take `cpu`.", "device-missing"
    else:
        step, reason = "Run it by itself; it fails the same way there.", "exception"
    message = f"`{program}` raises {last.partition(':')[0]}{where} before it consumes a gradient."
    return Failure(reason=reason, message=message, traceback=detail, location=place, next_step=step)


def _last_frame(detail: str, source: Source) -> Location | None:
    frames = list(_FRAME.finditer(detail))
    own = [f for f in frames if "site-packages" not in f["file"]] or frames
    if not own:
        return None
    frame = own[-1]
    return Location(file=source.relative(frame["file"]), line=int(frame["line"]), function=frame["function"])


def _no_gradient(recording: Recording, consumptions: Consumptions, source: Source, program: str) -> Failure:
    backwards = consumptions.backwards
    if backwards:
        place = source.place(backwards[0].event.site)
        where = Location(file=source.relative(place.file), line=place.line) if place else None
        return Failure(
            reason="no-gradient-read",
            message=f"`{program}` runs backward ({len(backwards)} times), but never reads the gradient of a parameter.",
            location=where,
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


def blocked_report(
    reason: str, message: str, detail: str, environment: Environment, program: ProgramInfo, cost: Cost
) -> Report:
    """A report for a program that died before anything could be recorded."""
    failure = Failure(
        reason=reason, message=message, traceback=detail or None,
        next_step="Run it by itself; if it survives there, run again with --no-fork.",
    )  # fmt: skip
    return Report(
        tool=Tool(version=VERSION), verdict="blocked", summary=message, environment=environment, program=program,
        failure=failure, cost=cost,
    )  # fmt: skip
