"""gradient-truncation"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from ..schema import Location
from . import boundary_adjoint_dropped, places
from .base import Candidate
from .boundary_adjoint_dropped import Words
from .detached_state import Detachment, detachments

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "gradient-truncation"


def candidates(lab: Laboratory) -> list[Candidate]:
    """State carried from one tape to the next without its adjoint."""
    chained = {b.iteration for b in lab.consumptions.backwards if any(s.is_chained for s in b.seeds)}
    found = []
    for gap in detachments(lab):
        if gap.between_tapes:
            is_chained = bool(gap.iterations & chained)
            found.append(_candidate(lab, gap, is_chained))
            earlier = _without_last(lab, gap)
            if is_chained and earlier is not None:
                # The last boundary may be the only one whose adjoint survives.
                found.append(replace(_candidate(lab, earlier, is_chained), weight=0.5e10))
    return found


def _without_last(lab: Laboratory, gap: Detachment) -> Detachment | None:
    """All reads but the last of each iteration."""
    last = {i: max(e for e, _ in gap.targets if lab.event(e).iteration == i) for i in gap.iterations}
    targets = [(e, t) for e, t in gap.targets if e != last[lab.event(e).iteration]]
    return replace(gap, targets=targets) if targets else None


def _candidate(lab: Laboratory, gap: Detachment, is_chained: bool) -> Candidate:
    name, entered = lab.source.name(gap.buffer), places.of_site(lab, gap.site)
    backward_at = _backward_at(lab, gap, is_chained)
    location = entered if gap.through_host and not is_chained else backward_at or entered
    if is_chained:
        words = boundary_adjoint_dropped.words(name, entered, backward_at)
    else:
        words = Words(
            kind=NAME,
            title=f"`{name}` enters the next tape without its history",
            message=(
                f"`{name}`{places.where(entered)} carries the state from one tape to the next; each "
                f"backward(){places.where(backward_at)} stops at its own tape, so the dependence through the carried "
                "state is dropped."
            ),
            remedy=(
                "Record the whole iteration on one tape, or chain the adjoint of the carried state from tape to tape."
            ),
        )
    return Candidate(
        kind=words.kind,
        treatment=treatment(*_left_behind(lab, gap), frozen=tuple(gap.targets)),
        action=f"the carried `{name}` held at its recorded contents",
        title=words.title,
        message=words.message,
        remedy=words.remedy,
        location=location,
        related=[*places.related("carried", entered), *places.related("backward", backward_at)],
        weight=1e10,
        iterations=frozenset(gap.iterations),
    )


def _left_behind(lab: Laboratory, gap: Detachment) -> list[dict[str, object]]:
    """A tape that stops at the carried state leaves its adjoint there, for the next iteration to pick up."""
    carried = {lab.event(e).touches[t].buffer for e, t in gap.targets}
    is_left = any(carried & b.nonzero for b in lab.consumptions.backwards)
    return [{"name": "zero-first", "scope": "intermediates", "every_backward": True}] if is_left else []


def _backward_at(lab: Laboratory, gap: Detachment, is_chained: bool) -> Location | None:
    backwards = [b for b in lab.consumptions.backwards if b.iteration in gap.iterations]
    if is_chained:
        seeded = next((b for b in backwards if any(s.is_chained for s in b.seeds)), backwards[0])
        return places.of_seed(lab, seeded) or places.of_outermost(lab, seeded.event.site)
    return places.of_site(lab, backwards[0].event.site) if backwards else None
