"""replay-side-effect"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from . import places
from .array_overwrite import adjoint_written
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "replay-side-effect"


def candidates(lab: Laboratory) -> list[Candidate]:
    """Kernels whose adjoint, which runs their forward part again, changes forward arrays once more."""
    buffers = adjoint_written(lab)
    found = []
    for buffer_site in dict.fromkeys(b.rpartition("#")[0] for b in sorted(buffers)):
        targets, first = [], None
        for adjoint in lab.events:
            if adjoint.kind != "adjoint" or adjoint.info.get("of") is None:
                continue
            event = lab.event(adjoint.info["of"])
            for index, touch in enumerate(event.touches):
                if touch.buffer in buffers and touch.buffer.rpartition("#")[0] == buffer_site and touch.writes:
                    targets.append([event.seq, index, "before"])
                    first = first or (event, touch)
        if first is None:
            continue
        event, touch = first
        location = places.of_store(lab, event, touch)
        name = lab.source.name(touch.buffer)
        found.append(
            Candidate(
                kind=NAME,
                treatment=treatment({"name": "restore", "targets": targets}),
                action=f"backward with `{name}` as the launch found it",
                title=f"the adjoint of `{event.name}` advances `{name}` again",
                message=(
                    f"`{event.name}`{places.where(location)} uses the value an atomic operation on `{name}` returns. "
                    "Its adjoint replays that operation on the advanced contents and works with other values."
                ),
                remedy=f"Give the function a @wp.func_replay that keeps the value, or compute `{name}` in its own launch.",
                location=location,
                related=places.related("launch", places.of_site(lab, event.site)),
                weight=2.0 * touch.nbytes,
            )
        )
    return found
