"""Locations of the user's code, for findings."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING

from ..record.events import Event, Touch
from ..schema import Location, Related

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory
    from ..trace.consumption import Backward


def of_site(lab: Laboratory, site: int) -> Location | None:
    """The user's line behind a call site."""
    place = lab.source.place(site)
    if place is None:
        return None
    return Location(
        file=lab.source.relative(place.file), line=place.line, function=place.function, snippet=place.snippet
    )


def of_parting(lab: Laboratory, site: int, other: int) -> Location | None:
    """The line on one stack where it parts from another: where the program puts the two together.

    The outermost line where both pass the same lines.
    """
    mine, others = (
        [p for p in reversed(lab.source.places(s)) if lab.source.is_users(p.file)] for s in (site, other)
    )  # outermost first
    for ours, theirs in zip(mine, others, strict=False):
        if (ours.file, ours.function) != (theirs.file, theirs.function):
            break
        if ours.line != theirs.line:
            return of_line(lab, ours.file, ours.line, ours.function)
    return of_line(lab, mine[0].file, mine[0].line, mine[0].function) if mine else None


def of_seed(lab: Laboratory, backward: Backward) -> Location | None:
    """Where the program last wrote a seed before a backward pass; None if it passed the seeds as an argument."""
    gradients = {f"{s.buffer}.grad" for s in backward.seeds if s.how == "written"}
    writes = [
        e
        for e in lab.events
        if e.seq < backward.event.seq and any(t.buffer in gradients and t.writes for t in e.touches)
    ]
    return of_site(lab, writes[-1].site) if writes else None


def of_line(lab: Laboratory, file: str | None, line: int | None, function: str = "") -> Location | None:
    """A line of a kernel."""
    if file is None or line is None or line < 1:
        return None
    snippet = linecache.getline(file, line).strip()
    return Location(file=lab.source.relative(file), line=line, function=function or None, snippet=snippet)


def of_store(lab: Laboratory, event: Event, touch: Touch) -> Location | None:
    """The line of the kernel that stores to an array; the launch itself where the kernel is not at hand."""
    kernel = lab.recording.environment["kernels"].get(event.name)
    if kernel is None or touch.write_line is None:
        return of_site(lab, event.site)
    return of_line(lab, kernel["file"], touch.write_line, event.name)


def listed(names: list[str]) -> str:
    """Names in a sentence, the first four of them."""
    shown = [f"`{name}`" for name in names[:4]] + ([f"{len(names) - 4} more"] if len(names) > 4 else [])
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]


def related(role: str, location: Location | None) -> list[Related]:
    """A related place, if there is one."""
    return [] if location is None else [Related(role=role, **location.model_dump())]


def where(location: Location | None) -> str:
    """``(file:line)``, or nothing."""
    return f" ({location})" if location is not None else ""
