"""replay-side-effect

## What it is
A kernel uses the value that an atomic operation returns, usually a slot handed out by a counter. Its adjoint works with
another value than the forward pass did.

## Why it happens
The adjoint runs the forward part of the kernel again to have its values at hand. An atomic operation inside a
`@wp.func` is then executed a second time, on the advanced counter; one directly in the kernel is skipped, and the value
it would return is missing. Either way adjoints are read from other elements than were written.

## What is measured
Arrays are compared before and after each adjoint: one that backward has changed is a replayed side effect.

## What proves it
Backward is run with the counter as the launch found it; where that is not enough, the adjoint of the kernel is replaced
by differences of its launches.

## Known limits
On a device with many threads the order in which slots are handed out changes from run to run; differences then compare
runs with different orders, which is harmless as long as the objective does not depend on it.

## Bad
```python
import warp as wp


@wp.func
def slot_for(count: wp.array(dtype=int)):
    return wp.atomic_add(count, 0, 1)


@wp.kernel
def collect(x: wp.array(dtype=float), count: wp.array(dtype=int), hits: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] > 0.4:
        hits[slot_for(count)] = x[i] * x[i]


@wp.kernel
def total(hits: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, hits[wp.tid()] * float(1 + wp.tid()))


x = wp.array([0.5, 0.2, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    count, hits = wp.zeros(1, dtype=int), wp.zeros(8, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(collect, dim=3, inputs=[x, count], outputs=[hits])
        wp.launch(total, dim=8, inputs=[hits], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def hand_out(x: wp.array(dtype=float), count: wp.array(dtype=int), slot: wp.array(dtype=int)):
    i = wp.tid()
    slot[i] = wp.where(x[i] > 0.4, wp.atomic_add(count, 0, 1), 7)


@wp.kernel
def collect(x: wp.array(dtype=float), slot: wp.array(dtype=int), hits: wp.array(dtype=float)):
    wp.atomic_add(hits, slot[wp.tid()], x[wp.tid()] * x[wp.tid()])


@wp.kernel
def total(hits: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, hits[wp.tid()] * float(1 + wp.tid()))


x = wp.array([0.5, 0.2, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    count, slot = wp.zeros(1, dtype=int), wp.zeros(3, dtype=int)
    hits, loss = wp.zeros(8, dtype=float, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(hand_out, dim=3, inputs=[x, count], outputs=[slot])
    with wp.Tape() as tape:
        wp.launch(collect, dim=3, inputs=[x, slot], outputs=[hits])
        wp.launch(total, dim=7, inputs=[hits], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Custom replay functions".
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from . import places
from .array_overwrite import adjoint_written
from .base import Candidate
from .kernel_source import Construct, Context, Unit, called

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "replay-side-effect"

_REMEDY = "Give the function a @wp.func_replay that keeps the value, or compute the value in a launch of its own."
_WITHOUT_ADJOINT = ("atomic_exch", "atomic_cas", "atomic_max", "atomic_min")


def candidates(lab: Laboratory) -> list[Candidate]:
    """Kernels whose adjoint, which runs their forward part again, changes forward arrays once more."""
    buffers = adjoint_written(lab)
    found = []
    for buffer_site in dict.fromkeys(b.rpartition("#")[0] for b in sorted(buffers)):
        targets, first = [], None
        for adjoint in lab.events:
            if adjoint.kind != "adjoint" or adjoint.info.get("of") is None:
                continue
            event = lab.event(adjoint.info["of"])
            for index, touch in enumerate(event.touches):
                if touch.buffer in buffers and touch.buffer.rpartition("#")[0] == buffer_site and touch.writes:
                    targets.append([event.seq, index, "before"])
                    first = first or (event, touch)
        if first is None:
            continue
        event, touch = first
        location = places.of_store(lab, event, touch)
        name = lab.source.name(touch.buffer)
        found.append(
            Candidate(
                kind=NAME,
                treatment=treatment({"name": "restore", "targets": targets}),
                action=f"backward with `{name}` as the launch found it",
                title=f"the adjoint of `{event.name}` advances `{name}` again",
                message=(
                    f"`{event.name}`{places.where(location)} uses the value an atomic operation on `{name}` returns. "
                    "Its adjoint replays that operation on the advanced contents and works with other values."
                ),
                remedy=_REMEDY,
                location=location,
                related=places.related("launch", places.of_site(lab, event.site)),
                weight=2.0 * touch.nbytes,
            )
        )
    return found


def find(unit: Unit, context: Context) -> list[Construct]:
    """Atomic operations whose result is used, unless a replay function stands in for them."""
    if unit.info.get("custom_replay"):
        return []
    dropped = {n.value for n in unit.nodes() if isinstance(n, ast.Expr)}
    found = []
    for node in unit.nodes():
        name = called(node)
        if name.startswith("atomic_") and name not in _WITHOUT_ADJOINT and node not in dropped:
            how = "is not computed again" if unit.is_kernel else "is computed again, on advanced contents,"
            found.append(unit.construct(NAME, node, f"the value that `wp.{name}` returns {how} in backward", _REMEDY))
    return found
