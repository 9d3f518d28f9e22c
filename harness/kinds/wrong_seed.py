"""wrong-seed

## What it is
Backward starts from something else than the derivative of the objective: from a seed that an earlier pass has spent,
one that still holds an older one, or one off by a factor from the number that the program reports.

## Why it happens
`backward(grads={y: s})` computes s^T dy/dp for each parameter p, whatever s is. That is the gradient of the number J to
be minimised only if s = dJ/dy, all of J and nothing else, at the y of this very forward pass. How it goes wrong:

- A factor: J is a mean and s lacks its 1/N; J is a square and s the plain residual, without the 2; J is scaled or
  weighted before it is printed and s belongs to the unscaled loss. The ratio is one constant.
- The sign: s = target - y for J = |y - target|^2 / 2. The ratio is -1, and descent climbs.
- One term of several: s of the misfit without that of the penalty, or without the mask. No constant ratio.
- Spent: backward consumes the gradient of what it starts from. If `y` has no gradient of its own, the seed array
  becomes that gradient, and the first backward leaves zeros in it for the next iteration, or for a second tape.
- Old: s computed from the y of the iteration before, or added to what is left in `y.grad`.

## What is measured
The contents of every seed, in every iteration; and the differences of the scalar that the seeds belong to, or of the
numbers that the program reports: prints, logs, returns, or keeps in variables, attributes, lists and dictionaries. The
seed is off by a factor where the gradient is the same multiple of such a number's derivative in every direction and
iteration, and the multiple does not change as the number does (as for a root of it).

## What proves it
The seed is written again before each backward pass, or the leftover zeroed, or the seed scaled: the gradient then
agrees with the differences.

## Known limits
Without a reported number a seed that is wrong from the start cannot be told from a choice of objective. A factor of
ten, a hundred and so on that is not the number of values is taken for a change of unit (percent, millimetres). A seed
that lacks a term of the number is not proven wrong: the verdict is that of `seed . y`, and a blind spot names the
reported number that comes nearest. A spent seed shows only from the second iteration on.

## Bad
```python
import warp as wp


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[wp.tid()] = x[wp.tid()] * x[wp.tid()]


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
seed = wp.array([1.0, 2.0, 3.0], dtype=float)
for _ in range(4):
    y = wp.zeros(3, dtype=float)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
    tape.backward(grads={y: seed})
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[wp.tid()] = x[wp.tid()] * x[wp.tid()]


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
seed = wp.array([1.0, 2.0, 3.0], dtype=float)
for _ in range(4):
    y = wp.zeros(3, dtype=float)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.clone(seed)})
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, `wp.Tape.backward` and its argument `grads`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from ..assess.reported import Reported, compare, counted
from ..attribute.laboratory import Treatment, treatment
from ..schema import Finding, WithIntervention, WithoutNumbers
from ..trace.consumption import Backward
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "wrong-seed"


def candidates(lab: Laboratory) -> list[Candidate]:
    """Passes without a seed of their own: spent by an earlier backward, or never written again."""
    by_site: dict[int, list[Backward]] = {}
    for backward in lab.consumptions.backwards:
        if any(s.is_borrowed for s in backward.seeds):
            by_site.setdefault(backward.event.site, []).append(backward)
    return [c for backwards in by_site.values() for c in _spent(lab, backwards)]


def _spent(lab: Laboratory, backwards: list[Backward]) -> list[Candidate]:
    found = []
    location = places.of_site(lab, backwards[0].event.site)
    for position, seed in enumerate(backwards[0].seeds):
        file = os.path.join(lab.session.scratch, f"{seed.contents}.npy")
        buffers = sorted({b.seeds[position].buffer for b in backwards if position < len(b.seeds)})
        name = lab.source.name(seed.buffer)
        found.append(
            Candidate(
                kind=NAME,
                treatment=treatment({"name": "reseed", "buffers": buffers, "file": file}),
                action=f"the seed of `{name}` written again",
                title=f"the seed of `{name}` is spent",
                message=(
                    f"backward(){places.where(location)} consumes the seed of `{name}`; from iteration "
                    f"{backwards[0].iteration} on it is zero, and so is the gradient."
                ),
                remedy=(
                    f"Write the seed of `{name}` anew before every backward(), or give `{name}` a gradient of its own."
                ),
                location=location,
                weight=1e13,
                iterations=frozenset(b.iteration for b in backwards),
            )
        )
    return found


def findings(lab: Laboratory, others_undone: Treatment) -> list[Finding]:
    """A seed off by a constant factor from the scalar the program reports, or left over from an iteration before.

    Where other causes were found, their treatment gives the gradients that are compared.
    """
    comparison = lab.assessment.reported
    reported = comparison.misscaled if comparison is not None else []
    if not reported and others_undone != Treatment():
        mended = [lab.mended(judged, others_undone) for judged in lab.assessment.judged]
        reported = compare([judged for judged in mended if judged is not None]).misscaled
    if not reported:
        return []
    first = replace(reported[0], name=lab.source.scalar_name(reported[0].name))
    if first.judged.consumption is not lab.assessment.of(first.judged.trace)[0].consumption:
        return [_left_over(lab, first)]
    backward = first.judged.consumption.backwards[-1]
    location = places.of_site(lab, backward.event.site)
    written = places.of_seed(lab, backward)
    name = lab.source.name(first.judged.trace.buffers[0])
    count = counted(first.judged, first.factor)
    by = (
        f"1 / {count}: it has {count} elements, and the number reported is their mean"
        if count
        else f"{first.factor:.4g}"
    )
    found = Finding(
        kind="wrong-seed",
        confidence="proven",
        title=f"the seed does not belong to `{first.name}`",
        message=(
            f"The gradient that backward(){places.where(location)} gives is {1.0 / first.factor:.4g} x the measured "
            f"derivative of `{first.name}`, the number the program reports, in every direction and iteration."
        ),
        remedy=f"Multiply the seed by {by}.",
        location=written or location,
        related=places.related("backward", location),
        parameters=[name],
        without=WithoutNumbers(autodiff=first.autodiff, measured=first.measured),
        with_intervention=WithIntervention(
            name=f"the seed times {first.factor:.4g}", autodiff=first.factor * first.autodiff, measured=first.measured
        ),
    )
    return [found]


def blind_spots(lab: Laboratory) -> list[str]:
    """Seeds that belong to nothing the program reports: right for `seed . y`, whatever that is."""
    spots = []
    for entry in lab.assessment.reported.unmatched if lab.assessment.reported is not None else []:
        parameter = lab.source.name(entry.judged.trace.buffers[0])
        spots.append(
            f"No number that the program reports is what the seed of `{parameter}`'s gradient belongs to: along the "
            f"gradient, `{lab.source.scalar_name(entry.name)}` changes {entry.factor:.4g} times as much as it says. If "
            "that is to be minimised, the seed is not its derivative: a term may be missing."
        )
    return spots


def _left_over(lab: Laboratory, first: Reported) -> Finding:
    """The seed belongs to the reported scalar at first, and holds more from a later iteration on."""
    backward = first.judged.consumption.backwards[-1]
    location = places.of_seed(lab, backward) or places.of_site(lab, backward.event.site)
    name = lab.source.name(first.judged.trace.buffers[0])
    output = lab.source.name(backward.seeds[0].buffer) if backward.seeds else "the output"
    return Finding(
        kind="wrong-seed",
        confidence="measured",
        title=f"the seed of `{output}` holds more than this iteration's",
        message=(
            f"In the first iteration the seed of `{output}`{places.where(location)} is that of `{first.name}`, the "
            f"number the program reports; from iteration {first.judged.consumption.iteration} on the gradient is not: "
            f"along it autodiff gives {first.autodiff:.4g}, "
            f"the differences of `{first.name}` give {first.measured:.4g}."
        ),
        remedy=f"Zero the gradient of `{output}` before its seed is written.",
        location=location,
        related=places.related("backward", places.of_site(lab, backward.event.site)),
        parameters=[name],
    )
