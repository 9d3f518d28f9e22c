"""double-counting

## What it is
One contribution to the gradient is added more than once.

## Why it happens
A tape is entered again without `reset()`: it still holds the launches of earlier iterations, and backward runs through
all of them. `backward()` runs a second time on a loss that was not computed anew. An array with `retain_grad=True` is
written more than once, and each write passes on the adjoint that only the last should.

## What is measured
Differences of the objective against the gradient, with what each tape held when it was entered, what each backward
started from, and which arrays are written more than once.

## What proves it
Backward over the newest launches alone, with the second pass left out, or with `retain_grad` off, gives the measured
derivative.

## Known limits
Backward passes on different losses of one iteration are taken for a sum that is meant. A contribution left over from
an earlier iteration in `.grad` is `gradient-accumulation`.

## Bad
```python
import warp as wp


@wp.kernel
def cost(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (x[i] - 2.0) * (x[i] - 2.0))


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
loss = wp.zeros(1, dtype=float, requires_grad=True)
tape = wp.Tape()
for _ in range(4):
    loss.zero_()
    with tape:
        wp.launch(cost, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def cost(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (x[i] - 2.0) * (x[i] - 2.0))


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
loss = wp.zeros(1, dtype=float, requires_grad=True)
tape = wp.Tape()
for _ in range(4):
    loss.zero_()
    tape.reset()
    with tape:
        wp.launch(cost, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, `wp.Tape.reset`; `retain_grad` of `wp.array`.
"""

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
