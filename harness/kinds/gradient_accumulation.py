"""gradient-accumulation"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from ..trace.consumption import Backward
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "gradient-accumulation"


def candidates(lab: Laboratory) -> list[Candidate]:
    """Gradients left over from an earlier iteration when the first backward pass of a new one begins."""
    leaves: set[int] = set()
    others: set[int] = set()
    first_leaf: tuple[Backward, str] | None = None
    first_other: tuple[Backward, str] | None = None
    seen: set[int] = set()
    parameters = {c.buffer for t in lab.assessment.judged for c in t.trace.consumptions}
    for backward in lab.consumptions.backwards:
        is_first = backward.iteration not in seen
        seen.add(backward.iteration)
        for buffer in sorted(backward.nonzero):
            if buffer in parameters:
                if is_first:
                    leaves.add(backward.iteration)
                    first_leaf = first_leaf or (backward, buffer)
            else:
                others.add(backward.iteration)
                first_other = first_other or (backward, buffer)
    found = []
    if first_leaf is not None:
        found.append(_leaf(lab, *first_leaf, frozenset(leaves)))
    if first_other is not None:
        found.append(_intermediate(lab, *first_other, frozenset(others)))
    return found


def _leaf(lab: Laboratory, backward: Backward, buffer: str, iterations: frozenset[int]) -> Candidate:
    name = lab.source.name(buffer)
    idle = next(
        (
            e for e in lab.events
            if e.kind == "tape-zero" and e.info["gradients"] == 0 and e.seq < backward.event.seq
        ),
        None,
    )  # fmt: skip
    location = places.of_site(lab, (idle or backward.event).site)
    why = (
        f"`tape.zero()`{places.where(location)} runs on a tape that has not run backward yet and clears nothing: "
        if idle is not None
        else f"`{name}.grad` is not zeroed before backward(){places.where(location)}: "
    )
    return Candidate(
        kind=NAME,
        treatment=treatment({"name": "zero-first", "scope": "leaves"}),
        action=f"`{name}.grad` zeroed before each iteration's first backward()",
        title=f"`{name}.grad` keeps the sum of earlier iterations",
        message=f"{why}from iteration {min(iterations)} on the gradient holds what earlier iterations left.",
        remedy=f"Call `{name}.grad.zero_()` (or `tape.zero()` after the gradient was used) in every iteration.",
        location=location,
        related=places.related("backward", places.of_site(lab, backward.event.site)),
        weight=1e12,
        iterations=iterations,
    )


def _intermediate(lab: Laboratory, backward: Backward, buffer: str, iterations: frozenset[int]) -> Candidate:
    name = lab.source.name(buffer)
    location = places.of_site(lab, backward.event.site)
    earlier = {b.loss["buffer"] for b in lab.consumptions.backwards if b.loss and b.ordinal < backward.ordinal}
    return Candidate(
        # What is left of the seed that an earlier pass gave its loss is a second seed of this one.
        kind="wrong-seed" if buffer in earlier else NAME,
        treatment=treatment({"name": "zero-first", "scope": "intermediates", "every_backward": True}),
        action=f"the adjoint of `{name}` zeroed before backward()",
        title=f"`{name}.grad` is left over from an earlier backward pass",
        message=(
            f"`{name}` still holds an adjoint when backward(){places.where(location)} begins, and passes it on a "
            "second time."
        ),
        remedy="Zero every gradient of the tape (`tape.zero()`) after it was used.",
        location=location,
        weight=1e11,
        iterations=iterations,
    )
