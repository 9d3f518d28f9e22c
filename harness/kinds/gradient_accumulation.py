"""gradient-accumulation

## What it is
The gradient of a parameter still holds what an earlier iteration left when the next backward pass adds to it. The first
iteration is right, every later one is a sum.

## Why it happens
`backward()` adds to `.grad`. `tape.zero()` clears only what a backward pass of that very tape has touched: on a tape
that was just made it does nothing. Or nothing zeroes the gradient at all. An intermediate array kept over the
iterations can hold an old adjoint in the same way, and passes it on again.

## What is measured
Which gradients are not zero when the first backward pass of an iteration begins, and the differences of the objective
in iterations after the first.

## What proves it
The gradients are zeroed before each first backward pass. They are right with that and wrong without.

## Known limits
Needs at least two iterations. Accumulation within an iteration, over several losses, is taken for intended: the
objective is then their sum. A leftover in the gradient of a loss is `wrong-seed`.

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
    tape = wp.Tape()
    tape.zero()
    with tape:
        wp.launch(cost, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
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
    tape = wp.Tape()
    with tape:
        wp.launch(cost, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, `wp.Tape.zero` and `wp.Tape.backward`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ..attribute.laboratory import Treatment, treatment
from ..trace.consumption import Backward
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory
    from ..record.events import Event

NAME = "gradient-accumulation"
MOST_TOLD_APART = 6
"""Arrays whose leftovers are undone one by one."""
_CLEAR = (
    "`tape.zero()` after the gradient was used clears all of them. What `.grad.numpy()` returned on the CPU is a view "
    "and is cleared too: copy it first if it is used later."
)


def candidates(lab: Laboratory) -> list[Candidate]:
    """Gradients left over from an earlier iteration when the first backward pass of a new one begins."""
    leaves: set[int] = set()
    others: set[int] = set()
    kept: dict[str, str] = {}
    first_leaf: tuple[Backward, str] | None = None
    first_other: tuple[Backward, str] | None = None
    seen: set[int] = set()
    parameters = lab.parameters
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
                kept[buffer] = lab.source.name(buffer)
                first_other = first_other or (backward, buffer)
    found = []
    if first_leaf is not None:
        found.append(_leaf(lab, *first_leaf, frozenset(leaves)))
    if first_other is not None:
        candidate = _intermediate(lab, *first_other, kept, frozenset(others))
        if 1 < len(kept) <= MOST_TOLD_APART:
            candidate.refine = functools.partial(_refined, lab, *first_other, kept, candidate.iterations)
        found.append(candidate)
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
    cleared = _cleared_without(lab, buffer)
    clears = places.of_site(lab, cleared.site) if cleared is not None else None
    besides = f" The gradients cleared{places.where(clears)} do not include it." if clears is not None else ""
    return Candidate(
        kind=NAME,
        treatment=treatment({"name": "zero-first", "scope": "leaves"}),
        action=f"`{name}.grad` zeroed before each iteration's first backward()",
        title=f"`{name}.grad` keeps the sum of earlier iterations",
        message=f"{why}from iteration {min(iterations)} on the gradient holds what earlier iterations left.{besides}",
        remedy=f"Clear `{name}.grad` in every iteration. {_CLEAR}",
        location=location,
        related=[
            *places.related("backward", places.of_site(lab, backward.event.site)),
            *places.related("clears others", clears),
        ],
        weight=1e12,
        iterations=iterations,
    )


def _cleared_without(lab: Laboratory, buffer: str) -> Event | None:
    """Where the program clears the gradient of another parameter, if it never clears this one's."""
    gradients = {f"{b}.grad" for b in lab.parameters}
    fills = [(e, t.buffer) for e in lab.events if e.kind == "fill" for t in e.touches if t.buffer in gradients]
    if any(filled == f"{buffer}.grad" for _, filled in fills):
        return None
    return next((event for event, _ in fills), None)


def _refined(
    lab: Laboratory,
    backward: Backward,
    buffer: str,
    kept: dict[str, str],
    iterations: frozenset[int],
    judged: Judged,
    held: Treatment,
) -> Candidate:
    """Names only the arrays without whose leftovers the gradient is wrong; all where they cannot be told apart."""
    needed = dict(kept)
    for one in kept:
        rest = [other for other in needed if other != one]
        if rest and lab.mends(judged, held.joined(_zeroed(rest))):
            del needed[one]
    is_enough = len(needed) < len(kept) and lab.mends(judged, held.joined(_zeroed(list(needed))))
    return _intermediate(lab, backward, buffer, needed if is_enough else kept, iterations)


def _zeroed(buffers: list[str] | None = None) -> Treatment:
    """The adjoints of these intermediate arrays zeroed before every backward pass; None: of all."""
    settings = {"name": "zero-first", "scope": "intermediates", "every_backward": True}
    return treatment(settings if buffers is None else {**settings, "buffers": buffers})


def _intermediate(
    lab: Laboratory, backward: Backward, buffer: str, kept: dict[str, str], iterations: frozenset[int]
) -> Candidate:
    """One for all intermediate arrays: each that is left over has to be cleared."""
    told = list(dict.fromkeys(kept.values()))
    names = places.listed(told)
    location = places.of_site(lab, backward.event.site)
    earlier = {b.loss["buffer"] for b in lab.consumptions.backwards if b.loss and b.ordinal < backward.ordinal}
    return Candidate(
        # What is left of the seed that an earlier pass gave its loss is a second seed of this one.
        kind="wrong-seed" if buffer in earlier else NAME,
        treatment=_zeroed(),
        action=f"the adjoint of {names} zeroed before backward()",
        title=f"{'an adjoint is' if len(told) == 1 else 'adjoints are'} left over from an earlier backward pass",
        message=(
            f"{names} still {'holds an adjoint' if len(told) == 1 else 'hold adjoints'} when "
            f"backward(){places.where(location)} begins, to be passed on a second time."
        ),
        remedy=f"Zero every gradient of the tape, not those of the parameters alone. {_CLEAR}",
        location=location,
        weight=1e11,
        iterations=iterations,
    )
