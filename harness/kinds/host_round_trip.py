"""severed-chain, through the host"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from . import places
from .base import Candidate
from .detached_state import detachments

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "severed-chain"


def candidates(lab: Laboratory) -> list[Candidate]:
    """Values read on the host and given back to the same tape as a new array."""
    found = []
    for gap in detachments(lab):
        if gap.between_tapes:
            continue
        name, location = lab.source.name(gap.buffer), places.of_site(lab, gap.site)
        read_at = places.of_site(lab, gap.source.site)
        found.append(
            Candidate(
                kind=NAME,
                cause="host-round-trip",
                treatment=treatment(frozen=tuple(gap.targets)),
                action=f"`{name}` held at its recorded contents",
                title=f"`{name}` comes from the host",
                message=(
                    f"`{name}`{places.where(location)} is made from values that were read on the host"
                    f"{places.where(read_at)}: the tape has no link between the two."
                ),
                remedy=f"Compute `{name}` in a kernel launched on the tape.",
                location=location,
                related=places.related("host read", read_at),
                weight=1e9,
                iterations=frozenset(gap.iterations),
            )
        )
    return found
