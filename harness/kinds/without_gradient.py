"""Arrays that pass values on from one operation to the next, and have no gradient: a way to sever a chain."""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import TYPE_CHECKING

from ..attribute.laboratory import Treatment, treatment
from ..record.events import Event
from . import places
from .base import Breadth, Candidate

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

MOST_GROUPS = 8
"""Allocations that are tried together."""


def candidates(lab: Laboratory) -> list[Candidate]:
    """Floating-point arrays that one taped operation writes and a later one reads, but that carry no gradient."""
    groups: dict[str, list[str]] = defaultdict(list)
    written: dict[str, Event] = {}
    for event in lab.events:
        is_work = event.tape is not None or event.kind in ("copy", "prebuilt-launch")
        if not is_work:
            continue
        for touch in event.touches:
            if touch.has_gradient or not is_floating(lab, touch.buffer):
                continue
            if touch.reads and touch.buffer in written and written[touch.buffer].seq != event.seq:
                group = groups[touch.buffer.rpartition("#")[0]]
                if touch.buffer not in group:
                    group.append(touch.buffer)
        for touch in event.touches:
            if touch.writes:
                written.setdefault(touch.buffer, event)
    found = [_dry(lab, [keys], written) for keys in groups.values()]
    if 1 < len(groups) <= MOST_GROUPS:
        # State of several arrays is only right together, which shows where yet another fault is in the way.
        together = _dry(lab, list(groups.values()), written)
        together.breadth = Breadth.ADJOINT
        together.refine = functools.partial(_refined, lab, list(groups.values()), written)
        found.append(together)
    return found


def _refined(
    lab: Laboratory, groups: list[list[str]], written: dict[str, Event], judged: Judged, held: Treatment
) -> Candidate:
    """Only the arrays that the gradient is wrong without."""
    needed = groups
    for group in groups:
        rest = [g for g in needed if g is not group]
        if rest and lab.agrees(judged, held.joined(_dry(lab, rest, written).treatment)):
            needed = rest
    return _dry(lab, needed, written)


def _dry(lab: Laboratory, groups: list[list[str]], written: dict[str, Event]) -> Candidate:
    """Arrays without a gradient, those of one allocation in a group."""
    firsts = [keys[0] for keys in groups]
    made = [places.of_site(lab, lab.recording.buffers[key]["site"]) for key in firsts]
    names = places.listed([lab.source.name(key) for key in firsts])
    writer = written[firsts[0]]
    is_one = len(groups) == 1
    return Candidate(
        kind="severed-chain",
        cause="requires-grad",
        treatment=treatment({"name": "give-gradients", "buffers": [key for keys in groups for key in keys]}),
        action=f"{names} with requires_grad=True",
        title=f"{names} {'has' if is_one else 'have'} no requires_grad",
        message=(
            f"{names}{places.where(made[0])} {'passes' if is_one else 'pass'} values from `{writer.name}` on, but "
            f"{'has' if is_one else 'have'} no gradient: what backward would send through is dropped."
        ),
        remedy=f"Allocate {names} with requires_grad=True.",
        location=made[0],
        related=[
            *places.related("writer", places.of_site(lab, writer.site)),
            *[r for place in made[1:] for r in places.related("made", place)],
        ],
        weight=1e9 + lab.recording.buffers[firsts[0]]["nbytes"],
    )


def is_floating(lab: Laboratory, buffer: str) -> bool:
    """True for elements that can carry a derivative."""
    dtype = str(lab.recording.buffers[buffer]["dtype"])
    return dtype.startswith(("float", "vec", "mat", "quat", "transform", "spatial")) and "int" not in dtype
