"""stale-gradient"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "stale-gradient"


def candidates(lab: Laboratory) -> list[Candidate]:
    """Gradients read before backward ran, or through a numpy view whose contents changed before the update."""
    found = []
    for judged in lab.disagreements():
        consumption = judged.consumption
        name = lab.source.name(consumption.buffer)
        read = consumption.reads[-1]
        location = places.of_site(lab, read.site)
        backward = consumption.backwards[-1].event
        if consumption.changed_after_read:
            found.append(
                Candidate(
                    kind=NAME,
                    treatment=treatment(after_read=True),
                    action="the gradient as it was when it was read",
                    title=f"`{name}.grad.numpy()` changes before it is used",
                    message=(
                        f"`{name}.grad.numpy()`{places.where(location)} is a view on the CPU, and its contents change "
                        "before the update uses them."
                    ),
                    remedy="Copy the gradient when it is read: `.numpy().copy()`.",
                    location=location,
                    weight=1e14,
                    iterations=frozenset({consumption.iteration}),
                )
            )
        elif read.seq < backward.seq:
            found.append(
                Candidate(
                    kind=NAME,
                    treatment=treatment({"name": "read-after-backward", "buffers": judged.trace.buffers}),
                    action="the gradient read after backward()",
                    title=f"`{name}.grad` is read before backward()",
                    message=(
                        f"`{name}.grad` is read{places.where(location)} before backward() has run"
                        f"{places.where(places.of_site(lab, backward.site))}: the update uses what was there before."
                    ),
                    remedy="Read the gradient after backward().",
                    location=location,
                    related=places.related("backward", places.of_site(lab, backward.site)),
                    weight=1e14,
                )
            )
    return found
