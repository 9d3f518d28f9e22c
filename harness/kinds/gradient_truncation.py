"""gradient-truncation and boundary-adjoint-dropped"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from . import places
from .base import Candidate
from .detached_state import Detachment, detachments

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "gradient-truncation"


def candidates(lab: Laboratory) -> list[Candidate]:
    """State carried from one tape to the next without its adjoint."""
    chained = {b.iteration for b in lab.consumptions.backwards if any(s.is_chained for s in b.seeds)}
    seeded = {s.buffer for b in lab.consumptions.backwards for s in b.seeds}
    gaps = [g for g in detachments(lab) if g.between_tapes and g.buffer not in seeded]
    return [_candidate(lab, gap, bool(gap.iterations & chained)) for gap in gaps]


def _candidate(lab: Laboratory, gap: Detachment, is_chained: bool) -> Candidate:
    name, location = lab.source.name(gap.buffer), places.of_site(lab, gap.site)
    backward = next((b for b in lab.consumptions.backwards if b.iteration in gap.iterations), None)
    backward_at = places.of_site(lab, backward.event.site) if backward is not None else None
    if is_chained:
        kind, title = "boundary-adjoint-dropped", f"the adjoint of `{name}` is not handed to the earlier segment"
        message = (
            f"Adjoints are chained by hand from segment to segment, but `{name}`{places.where(location)} carries a "
            "dependence across the boundary that no seed passes on."
        )
        remedy = f"Seed the earlier segment with the gradient of `{name}` as well."
    else:
        kind, title = NAME, f"`{name}` enters the next tape without its history"
        message = (
            f"`{name}`{places.where(location)} carries the state from one tape to the next; each backward() stops at "
            "its own tape, so the dependence through the carried state is dropped."
        )
        remedy = "Record the whole iteration on one tape, or chain the adjoint of the carried state from tape to tape."
    return Candidate(
        kind=kind,
        treatment=treatment(frozen=tuple(gap.targets)),
        action=f"the carried `{name}` held at its recorded contents",
        title=title,
        message=message,
        remedy=remedy,
        location=location,
        related=places.related("backward", backward_at),
        weight=1e10,
        iterations=frozenset(gap.iterations),
    )
