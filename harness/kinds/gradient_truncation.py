"""gradient-truncation

## What it is
An iteration is split over several tapes, each with its own backward pass, and the state that goes from one to the next
arrives without its history. The gradient holds what each window sees of itself, not the dependence through the state.

## Why it happens
A tape per window or per time step, to save memory or out of habit. Backward stops at the arrays the tape was given.

## What is measured
Differences of the sum of all losses of the iteration, through every window, against the gradient that the backward
passes add up to.

## What proves it
The carried state is held at its recorded contents in the runs that are differenced. If the measured derivative then
falls to what the gradient says, what is missing passes through that state.

## Known limits
Truncation can be meant; the gradient is then still not that of the objective, and the report says so. Where adjoints
are chained by hand it is `boundary-adjoint-dropped`. State kept from one iteration to the next is not followed.

## Bad
```python
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float), s: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = s[i] + 0.5 * x[i] * s[i]


@wp.kernel
def total(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, y[wp.tid()] * y[wp.tid()])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    s = wp.ones(3, dtype=float, requires_grad=True)
    for window in range(2):
        out = wp.zeros(3, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(step, dim=3, inputs=[x, s], outputs=[out])
            wp.launch(total, dim=3, inputs=[out], outputs=[loss])
        tape.backward(loss)
        s = out
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    x.grad.zero_()
```

## Good
```python
import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float), s: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = s[i] + 0.5 * x[i] * s[i]


@wp.kernel
def total(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, y[wp.tid()] * y[wp.tid()])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    s = wp.ones(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for window in range(2):
            out = wp.zeros(3, dtype=float, requires_grad=True)
            wp.launch(step, dim=3, inputs=[x, s], outputs=[out])
            wp.launch(total, dim=3, inputs=[out], outputs=[loss])
            s = out
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## References
Williams and Peng: An efficient gradient-based algorithm for on-line training of recurrent network trajectories
(1990).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..schema import Location, Related
from . import boundary_adjoint_dropped, places
from .base import Candidate
from .detached_state import Detachment, detachments
from .undoing import Words, held

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "gradient-truncation"


def candidates(lab: Laboratory) -> list[Candidate]:
    """State carried from one tape to the next without its adjoint."""
    chained = {b.iteration for b in lab.consumptions.backwards if any(s.is_chained for s in b.seeds)}
    found = []
    gaps = [gap for gap in detachments(lab) if gap.between_tapes]
    for gap in (gap for gap in gaps if gap.iterations & chained):
        found.append(_candidate(lab, [gap], is_chained=True))
        earlier = _without_last(lab, gap)
        if earlier is not None:
            # The last boundary may be the only one whose adjoint survives.
            found.append(replace(_candidate(lab, [earlier], is_chained=True), weight=0.5e10))
    together: dict[Location | None, list[Detachment]] = {}
    for gap in (gap for gap in gaps if not gap.iterations & chained):
        # However many launches take it in, a state that no host carries is cut where the tapes are.
        together.setdefault(places.of_site(lab, gap.site) if gap.through_host else None, []).append(gap)
    return found + [_candidate(lab, state, is_chained=False) for state in together.values()]


def _without_last(lab: Laboratory, gap: Detachment) -> Detachment | None:
    """All reads but the last of each iteration."""
    last = {i: max(e for e, _ in gap.targets if lab.event(e).iteration == i) for i in gap.iterations}
    targets = [(e, t) for e, t in gap.targets if e != last[lab.event(e).iteration]]
    return replace(gap, targets=targets) if targets else None


def _candidate(lab: Laboratory, state: list[Detachment], is_chained: bool) -> Candidate:
    """All arrays of a state that one line carries on; where adjoints are chained, a single one."""
    gap = state[0]
    iterations = frozenset(i for g in state for i in g.iterations)
    left_behind = _left_behind(lab, state)
    names = list(dict.fromkeys(lab.source.name(g.buffer) for g in state))
    entered = places.of_site(lab, gap.site)
    backward_at = _backward_at(lab, iterations, is_chained)
    if is_chained:
        words = boundary_adjoint_dropped.words(names[0], entered, backward_at)
    else:
        words = _words(names, entered, backward_at, bool(left_behind))
    is_copied = gap.through_host and not is_chained
    location = (_carried_on_at(lab, gap) if is_copied else backward_at) or entered
    return held(
        words,
        f"the carried {places.listed(names)}",
        [target for g in state for target in g.targets],
        location,
        [*_carried(lab, state), *places.related("backward", backward_at)],
        weight=1e10,
        iterations=iterations,
        also=left_behind,
    )


def _carried(lab: Laboratory, state: list[Detachment]) -> list[Related]:
    """Every line at which the state enters a tape."""
    entries = {str(at): at for at in (places.of_site(lab, gap.site) for gap in state)}
    return [r for at in entries.values() for r in places.related("carried", at)]


def _words(names: list[str], entered: Location | None, backward_at: Location | None, is_left_behind: bool) -> Words:
    is_one = len(names) == 1
    left = f" What each tape leaves in {'its' if is_one else 'their'} gradient is added to a later pass."
    return Words(
        kind=NAME,
        title=f"{places.listed(names)} {'enters' if is_one else 'enter'} the next tape without history",
        message=(
            f"{places.listed(names)}{places.where(entered)} {'carries' if is_one else 'carry'} the state from one tape "
            f"to the next; each backward(){places.where(backward_at)} stops at its own tape, so the dependence through "
            "the carried state is dropped."
        )
        + left * is_left_behind,
        remedy="Record the whole iteration on one tape, or chain the adjoint of the carried state from tape to tape.",
    )


def _carried_on_at(lab: Laboratory, gap: Detachment) -> Location | None:
    """Where the program carries the state on: in the function that runs backward, not in a helper that copies."""
    backward = next((b for b in lab.consumptions.backwards if b.iteration in gap.iterations), None)
    return None if backward is None else places.of_parting(lab, gap.site, backward.event.site)


def _backward_at(lab: Laboratory, iterations: frozenset[int], is_chained: bool) -> Location | None:
    backwards = [b for b in lab.consumptions.backwards if b.iteration in iterations]
    if is_chained:
        seeded = next((b for b in backwards if any(s.is_chained for s in b.seeds)), backwards[0])
        return places.of_seed(lab, seeded) or places.of_parting(lab, seeded.event.site, backwards[0].event.site)
    return places.of_site(lab, backwards[0].event.site) if backwards else None


def _left_behind(lab: Laboratory, state: list[Detachment]) -> list[dict[str, object]]:
    """A tape that stops at the carried state leaves its adjoint there, for the next iteration to pick up."""
    carried = {lab.event(e).touches[t].buffer for gap in state for e, t in gap.targets}
    is_left = any(carried & b.nonzero for b in lab.consumptions.backwards)
    return [{"name": "zero-first", "scope": "intermediates", "every_backward": True}] if is_left else []
