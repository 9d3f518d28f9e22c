"""stale-gradient

## What it is
The update uses a gradient that does not belong to this iteration and these parameter values.

## Why it happens
On the CPU `x.grad.numpy()` is a view: `tape.zero()` after it leaves zeros in the variable, where on a GPU it would have
been a copy. The gradient is read before `backward()` has run, and is that of the iteration before. Or the parameter is
updated between the forward pass and backward, whose adjoints then read the new values.

## What is measured
What the program had in its hands when it changed the parameter, against the differences of the objective.

## What proves it
The gradient as it was when it was read, or as it is after backward, or with the parameter's recorded contents put back,
agrees with the differences; what was used does not.

## Known limits
A gradient kept on purpose, as by an optimiser with delay, looks the same.

## Bad
```python
import warp as wp


@wp.kernel
def cost(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (x[i] - 2.0) * (x[i] - 2.0))


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(cost, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    g = x.grad.numpy()
    tape.zero()
    x.assign(x.numpy() - 0.01 * g)
```

## Good
```python
import warp as wp


@wp.kernel
def cost(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (x[i] - 2.0) * (x[i] - 2.0))


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(cost, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    g = x.grad.numpy().copy()
    tape.zero()
    x.assign(x.numpy() - 0.01 * g)
```

## References
Warp documentation, `wp.array.numpy`: no copy for arrays on the CPU.
"""

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
