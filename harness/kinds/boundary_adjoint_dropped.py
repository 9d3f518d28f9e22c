"""boundary-adjoint-dropped"""

from __future__ import annotations

from dataclasses import dataclass

from ..schema import Location
from . import places

NAME = "boundary-adjoint-dropped"


@dataclass(frozen=True)
class Words:
    """What a candidate for carried state says; the rest of it does not depend on whether tapes are chained."""

    kind: str
    title: str
    message: str
    remedy: str


def words(name: str, entered: Location | None, backward_at: Location | None) -> Words:
    """For state ``name`` that enters the next tape at ``entered``, where backward is chained by hand."""
    return Words(
        kind=NAME,
        title=f"the adjoint of `{name}` is not handed to the earlier segment",
        message=(
            f"Adjoints are chained by hand from tape to tape, but `{name}`{places.where(entered)} carries a "
            f"dependence across a boundary that backward(){places.where(backward_at)} is not given."
        ),
        remedy=f"Add the gradient of `{name}` to the seeds of the earlier tape.",
    )
