"""severed-chain, through the host"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places
from .base import Candidate
from .detached_state import detachments
from .undoing import Words, held

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
        words = Words(
            NAME,
            f"`{name}` comes from the host",
            f"`{name}`{places.where(location)} is made from values that were read on the host{places.where(read_at)}: "
            "the tape has no link between the two.",
            f"Compute `{name}` in a kernel launched on the tape.",
            cause="host-round-trip",
        )
        related = places.related("host read", read_at)
        reach = frozenset(gap.iterations)
        found.append(held(words, f"`{name}`", gap.targets, location, related, weight=1e9, iterations=reach))
    return found
