"""copy-adjoint

## What it is
Before Warp 1.17 the adjoint of a recorded copy overwrites the gradient of the source instead of adding to it, and
leaves that of the destination standing. A source that is read again after the copy loses that part of its gradient.

## Why it happens
`wp.copy`, `wp.clone` and `array.assign` inside a tape. Backward runs in reverse: what reads the source later puts its
part into the source's gradient first, and the adjoint of the copy then writes over it.

## What is measured
Differences of the objective against the gradient, in a program whose tape holds such a copy.

## What proves it
Backward is run with the rule of Warp 1.17: the copy adds to the source's gradient and clears the destination's. With
that autodiff agrees with the measured derivative, without it does not.

## Known limits
Looked for in Warp before 1.17 only. Later versions keep the old rule for copies between GPUs, for arrays of structs and
for copies that overlap.

## Bad
```python
import warp as wp


@wp.kernel
def difference(x: wp.array(dtype=float), kept: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * kept[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        kept = wp.clone(x)
        wp.launch(difference, dim=3, inputs=[x, kept], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def keep(x: wp.array(dtype=float), kept: wp.array(dtype=float)):
    i = wp.tid()
    kept[i] = x[i]


@wp.kernel
def difference(x: wp.array(dtype=float), kept: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * kept[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    kept = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(keep, dim=3, inputs=[x], outputs=[kept])
        wp.launch(difference, dim=3, inputs=[x, kept], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## References
Warp's changelog, 1.17.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from ..record.events import Event, Touch
from . import places
from .base import Candidate
from .kernel_source import version_of

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "copy-adjoint"
REPAIRED_IN = (1, 17)


def candidates(lab: Laboratory) -> list[Candidate]:
    """Recorded copies whose source is read again, or whose destination was in use before, one candidate per place."""
    if version_of(lab.recording.environment) >= REPAIRED_IN:
        return []
    groups: dict[int, list[Event]] = defaultdict(list)
    for event in lab.events:
        if event.kind == "copy" and event.tape is not None and _matters(lab, event):
            groups[event.site].append(event)
    return [_candidate(lab, events) for events in groups.values()]


def _matters(lab: Laboratory, copy: Event) -> bool:
    source, dest = _ends(copy)
    if source is None or dest is None:
        return False
    reads = any(e.seq > copy.seq and e.tape == copy.tape and t.reads for e, t in lab.touches_of(source.buffer))
    older = any(e.seq < copy.seq and e.tape == copy.tape for e, t in lab.touches_of(dest.buffer))
    return reads or older


def _ends(copy: Event) -> tuple[Touch | None, Touch | None]:
    by_path = {touch.path: touch for touch in copy.touches}
    return by_path.get("src"), by_path.get("dest")


def _candidate(lab: Laboratory, copies: list[Event]) -> Candidate:
    first = copies[0]
    source, _ = _ends(first)
    assert source is not None
    name, location = lab.source.name(source.buffer), places.of_site(lab, first.site)
    reader = next(
        (e for e, t in lab.touches_of(source.buffer) if e.seq > first.seq and e.tape == first.tape and t.reads), None
    )
    return Candidate(
        kind=NAME,
        treatment=treatment({"name": "accumulate-copies", "events": [e.seq for e in copies]}),
        action="the adjoint of the copy adds to the gradient of its source, as in Warp 1.17",
        title=f"the adjoint of a copy overwrites `{name}.grad`",
        message=(
            f"`{name}` is copied{places.where(location)} and used again on the same tape. Before Warp 1.17 the adjoint "
            f"of the copy overwrites `{name}.grad`, and the part of the later uses is lost."
        ),
        remedy="Copy in a kernel launched on the tape, or update to Warp 1.17 or later.",
        location=location,
        related=places.related("reader", places.of_site(lab, reader.site)) if reader is not None else [],
        weight=float(sum(t.nbytes for e in copies for t in e.touches)),
    )
