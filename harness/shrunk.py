"""What a smaller program no longer does: the branches that only the program as it stands takes.

A gradient that is right with `--set STEPS=20` says nothing about code that 20 steps do not come to. Both programs run
once more, with the lines noted that the host runs and the branches that kernels take; no difference is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .execute.session import ExecutionFailed, Session
from .record.events import Recording
from .record.plan import Plan
from .trace.branches import Branch, only_in
from .trace.source import Source

Progress = Callable[[str], None]

MOST_BRANCHES = 6
CUT_SHORT = {"error": "raises an exception", "timeout": "was stopped at {seconds:.0f} s"}
NOT_COMPARED = (
    "What `min`, `max`, `clamp` and one-line conditions choose is not compared with the program as it stands."
)
KERNELS_NOT_COMPARED = "Branches inside kernels are not compared."


def blind_spots(session: Session, iterations: int, seconds: float, source: Source, progress: Progress) -> list[str]:
    """Sentences for the report on a program that is correct with its overrides; none without overrides."""
    overrides = session.target.overrides
    if not overrides or seconds <= 0.0:
        return []
    shown = ", ".join(f"{name}={value}" for name, value in overrides.items())
    progress("the program as it stands")
    try:
        small, full, sees_kernels = _recordings(session, iterations, seconds)
    except ExecutionFailed as error:
        return [f"What {shown} leaves out is not known: {error}"]
    notes = _branches(small, full, source, shown, next(iter(overrides)))
    notes += _kernels(small, full, shown)
    if full.outcome["status"] in CUT_SHORT:
        why = CUT_SHORT[full.outcome["status"]].format(seconds=seconds)
        done = full.outcome["iterations"]
        notes.append(
            f"The program as it stands {why} after {done} of {iterations} iterations; the rest is not compared."
        )
    return [*notes, NOT_COMPARED if sees_kernels else f"{KERNELS_NOT_COMPARED} {NOT_COMPARED}"]


def _recordings(session: Session, iterations: int, seconds: float) -> tuple[Recording, Recording, bool]:
    """Both programs, and whether their kernels took part."""
    for sees_kernels in (True, False):
        plans = [
            Plan(iterations=iterations, trace_lines=True, trace_kernels=sees_kernels, overrides=is_small)
            for is_small in (True, False)
        ]
        small = session.record(plans[0])
        if small.outcome["status"] not in CUT_SHORT:
            break
    return small, session.record(plans[1], seconds=seconds), sees_kernels and _is_on_cpu(small)


def _is_on_cpu(recording: Recording) -> bool:
    return str(recording.environment["device"]).startswith("cpu")


def _branches(small: Recording, full: Recording, source: Source, shown: str, name: str) -> list[str]:
    lines, full_lines = small.environment["lines"], full.environment["lines"]
    missed = only_in(full_lines, lines)
    # A run that was cut short has not had the time to take everything.
    added = [] if full.outcome["status"] in CUT_SHORT else only_in(lines, full_lines)
    notes = [
        f"{_named(source, b)} is never taken with {shown}; the program as it stands takes it, so that part is not "
        f"judged. `--bisect {name}` finds the smallest {name} at which the gradient is wrong."
        for b in missed[:MOST_BRANCHES]
    ]
    notes += [
        f"{_named(source, b)} is taken with {shown}, and never by the program as it stands."
        for b in added[:MOST_BRANCHES]
    ]
    return notes + _rest(len(missed) + len(added), len(notes))


def _rest(found: int, shown: int) -> list[str]:
    return [f"{found - shown} more branches differ in the same way."] if found > shown else []


def _named(source: Source, branch: Branch) -> str:
    return f"{branch.header} at {source.relative(branch.file)}:{branch.line}"


def _kernels(small: Recording, full: Recording, shown: str) -> list[str]:
    missing: Sequence[str] = sorted(set(full.environment["kernels"]) - set(small.environment["kernels"]))
    names = ", ".join(f"`{name}`" for name in missing[:MOST_BRANCHES])
    more = " and others" if len(missing) > MOST_BRANCHES else ""
    return [f"With {shown} these kernels are never launched: {names}{more}."] if missing else []
