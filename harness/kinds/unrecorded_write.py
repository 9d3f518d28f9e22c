"""unrecorded-write

## What it is
An array is used several times within one tape and reset in between by `zero_()` or `fill_()`. The values are right, the
gradient is not: earlier uses also receive the adjoint of all later ones.

## Why it happens
`zero_()` and `fill_()` are not recorded. In the forward pass they cut the new contents off from the old ones; in
backward nothing does, so the adjoint of an accumulator flows on into the launches before the reset. It is the adjoint
that is wrong, not the contents: putting older contents back repairs nothing.

## What is measured
Differences of the objective against the gradient, in a run in which every fill is seen with the tape that was open.

## What proves it
The fill is treated as an operation whose adjoint clears the gradient of the array. The gradient is right with that.

## Known limits
Looked for where the same tape wrote the array before the fill and uses it after. A reset by a host write or a copy has
no such treatment.

## Bad
```python
import warp as wp


@wp.kernel
def flux(x: wp.array(dtype=float), k: int, f: wp.array(dtype=float)):
    wp.atomic_add(f, 0, x[wp.tid()] * x[wp.tid()] * float(k + 1))


@wp.kernel
def gather(f: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, 0.5 * f[0])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    f = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for k in range(3):
            f.zero_()
            wp.launch(flux, dim=3, inputs=[x, k], outputs=[f])
            wp.launch(gather, dim=1, inputs=[f], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.001 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def flux(x: wp.array(dtype=float), k: int, f: wp.array(dtype=float)):
    wp.atomic_add(f, 0, x[wp.tid()] * x[wp.tid()] * float(k + 1))


@wp.kernel
def gather(f: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, 0.5 * f[0])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for k in range(3):
            f = wp.zeros(1, dtype=float, requires_grad=True)
            wp.launch(flux, dim=3, inputs=[x, k], outputs=[f])
            wp.launch(gather, dim=1, inputs=[f], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.001 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Differentiability": what a tape records.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "unrecorded-write"


def candidates(lab: Laboratory) -> list[Candidate]:
    """`zero_()` and `fill_()` on an array that the same tape wrote before and uses after."""
    groups: dict[int, list[int]] = defaultdict(list)
    for event in lab.events:
        if event.kind != "fill" or event.info.get("inside_tape") is None:
            continue
        tape, touch = event.info["inside_tape"], event.touches[0]
        uses = [(e, t) for e, t in lab.touches_of(touch.buffer) if e.tape == tape]
        if any(e.seq < event.seq and t.writes for e, t in uses) and any(e.seq > event.seq for e, _ in uses):
            groups[event.site].append(event.seq)
    found = []
    for site, seqs in groups.items():
        event = lab.event(seqs[0])
        touch = event.touches[0]
        name, location = lab.source.name(touch.buffer), places.of_site(lab, site)
        writer = next((e for e, t in lab.touches_of(touch.buffer) if e.tape is not None and t.writes), event)
        writer_at = places.of_site(lab, writer.site)
        found.append(
            Candidate(
                kind=NAME,
                treatment=treatment({"name": "record-fills", "events": seqs}),
                action=f"`{event.name}` of `{name}` recorded as an operation that clears its adjoint",
                title=f"`{name}.{event.name}()` is not on the tape",
                message=(
                    f"`{name}` is reused inside one tape and reset by `{event.name}()`{places.where(location)}, which "
                    "the tape does not record: earlier uses also receive the adjoint of all later ones."
                ),
                remedy=f"Allocate `{name}` anew for each step, or reset it in a kernel launched on the tape.",
                location=location,
                related=places.related("writer", writer_at),
                weight=float(len(seqs) * touch.nbytes),
            )
        )
    return found
