"""Candidates that are undone in one of two ways: contents put back before an adjoint, or a link held fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..attribute.laboratory import Treatment, treatment
from ..schema import Location, Related
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory
    from ..record.events import Event

Target = tuple[int, int, str]
"""(event, index of the touch, moment): contents "before" the launch, or "after" it."""


@dataclass(frozen=True)
class Words:
    """What a candidate says, whatever undoes it."""

    kind: str
    title: str
    message: str
    remedy: str
    cause: str | None = None
    mechanism: str | None = None


def restoring(targets: Sequence[Target]) -> Treatment:
    """Backward on recorded contents."""
    return treatment({"name": "restore", "targets": [list(t) for t in targets]})


def restored(
    lab: Laboratory, words: Words, name: str, targets: Sequence[Target], reader: Event, location: Location | None
) -> Candidate:
    """Backward is right on the contents that ``reader`` and others found in ``name``."""
    backward = lab.consumptions.backward_after(reader.seq)
    backward_at = None if backward is None else places.of_site(lab, backward.event.site)
    return Candidate(
        kind=words.kind,
        treatment=restoring(targets),
        action=f"backward on the recorded contents of `{name}`",
        title=words.title,
        message=words.message,
        remedy=words.remedy,
        location=location,
        related=[
            *places.related("reader", places.of_site(lab, reader.site)),
            *places.related("backward", backward_at),
        ],
        mechanism=words.mechanism,
        weight=float(sum(lab.event(e).touches[i].nbytes for e, i, _ in targets)),
    )


def held(
    words: Words,
    what: str,
    targets: Sequence[tuple[int, int]],
    location: Location | None,
    related: Sequence[Related] = (),
    *,
    weight: float,
    iterations: frozenset[int] = frozenset(),
    also: Sequence[dict[str, Any]] = (),
) -> Candidate:
    """With what these (event, touch) read held at the recorded contents, the differences give what autodiff says."""
    return Candidate(
        kind=words.kind,
        cause=words.cause,
        treatment=treatment(*also, frozen=tuple(targets)),
        action=f"{what} held at the recorded contents",
        title=words.title,
        message=words.message,
        remedy=words.remedy,
        location=location,
        related=list(related),
        weight=weight,
        iterations=iterations,
    )
