"""double-counting"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "double-counting"


def candidates(lab: Laboratory) -> list[Candidate]:
    """A tape entered again without reset, backward run twice on one loss, `retain_grad` on arrays written twice."""
    return [*_reentered(lab), *_repeated(lab), *_retained(lab)]


def _reentered(lab: Laboratory) -> list[Candidate]:
    entered = [e for e in lab.events if e.kind == "tape-enter" and e.info["entries"] > 0]
    if not entered:
        return []
    location = places.of_site(lab, entered[0].site)
    return [
        Candidate(
            kind=NAME,
            treatment=treatment({"name": "newest-launches"}),
            action="backward over the tape's newest launches alone",
            title="the tape still holds earlier launches",
            message=(
                f"A tape that already holds {entered[0].info['entries']} operations is entered again"
                f"{places.where(location)} without reset(): backward runs through the earlier ones as well."
            ),
            remedy="Call `tape.reset()` before entering it again, or make a new wp.Tape() in every iteration.",
            location=location,
            weight=1e13,
            iterations=frozenset(e.iteration for e in entered),
        )
    ]


def _repeated(lab: Laboratory) -> list[Candidate]:
    seen: dict[tuple[str, int], int] = {}
    for backward in lab.consumptions.backwards:
        if backward.loss is None:
            continue
        key = (backward.loss["buffer"], backward.loss["last_write"])
        if key in seen and key[1] >= 0:
            location = places.of_site(lab, backward.event.site)
            return [
                Candidate(
                    kind=NAME,
                    treatment=treatment({"name": "one-backward-per-loss"}),
                    action="the second backward() on the same loss left out",
                    title="backward runs twice on one loss",
                    message=(
                        f"backward(){places.where(location)} runs again on a loss that was not computed anew, "
                        "and adds its gradient a second time."
                    ),
                    remedy="Run backward once per forward pass, or zero the gradients in between.",
                    location=location,
                    related=places.related("first backward", places.of_site(lab, seen[key])),
                    weight=1e13,
                )
            ]
        seen[key] = backward.event.site
    return []


def _retained(lab: Laboratory) -> list[Candidate]:
    groups: dict[str, list[str]] = {}
    for key, info in lab.recording.buffers.items():
        if not info["retain_grad"] or info["gradient_of"]:
            continue
        writes = [e for e, t in lab.touches_of(key) if e.tape is not None and t.writes]
        if len(writes) > 1:
            groups.setdefault(key.rpartition("#")[0], []).append(key)
    found = []
    for keys in groups.values():
        name, location = lab.source.name(keys[0]), places.of_site(lab, lab.recording.buffers[keys[0]]["site"])
        found.append(
            Candidate(
                kind=NAME,
                treatment=treatment({"name": "drop-retained", "buffers": keys}),
                action=f"`retain_grad` of `{name}` off",
                title=f"`{name}` keeps its gradient although it is written more than once",
                message=(
                    f"`{name}`{places.where(location)} has retain_grad=True and is written more than once on the tape: "
                    "every write passes on the adjoint that only the last one should."
                ),
                remedy=f"Drop retain_grad from `{name}`, or write each version to an array of its own.",
                location=location,
                weight=1e10,
            )
        )
    return found
