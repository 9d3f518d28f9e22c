"""unrecorded-write"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "unrecorded-write"


def candidates(lab: Laboratory) -> list[Candidate]:
    """`zero_()` and `fill_()` on an array that the same tape wrote before and uses after."""
    groups: dict[int, list[int]] = defaultdict(list)
    for event in lab.events:
        if event.kind != "fill" or event.info.get("inside_tape") is None:
            continue
        tape, touch = event.info["inside_tape"], event.touches[0]
        uses = [(e, t) for e, t in lab.touches_of(touch.buffer) if e.tape == tape]
        if any(e.seq < event.seq and t.writes for e, t in uses) and any(e.seq > event.seq for e, _ in uses):
            groups[event.site].append(event.seq)
    found = []
    for site, seqs in groups.items():
        event = lab.event(seqs[0])
        touch = event.touches[0]
        name, location = lab.source.name(touch.buffer), places.of_site(lab, site)
        writer = next((e for e, t in lab.touches_of(touch.buffer) if e.tape is not None and t.writes), event)
        writer_at = places.of_site(lab, writer.site)
        found.append(
            Candidate(
                kind=NAME,
                treatment=treatment({"name": "record-fills", "events": seqs}),
                action=f"`{event.name}` of `{name}` recorded as an operation that clears its adjoint",
                title=f"`{name}.{event.name}()` is not on the tape",
                message=(
                    f"`{name}` is reused inside one tape and reset by `{event.name}()`{places.where(location)}, which "
                    "the tape does not record: earlier uses also receive the adjoint of all later ones."
                ),
                remedy=f"Allocate `{name}` anew for each step, or reset it in a kernel launched on the tape.",
                location=location,
                related=places.related("writer", writer_at),
                weight=float(len(seqs) * touch.nbytes),
            )
        )
    return found
