"""severed-chain

## What it is
A link between a parameter and the objective carries values but no gradient, so that all or part of the derivative is
missing.

## Why it happens
An array between two launches has no `requires_grad`. A launch was made outside the tape or prebuilt with
`record_cmd=True`; the loss is computed by `wp.utils.array_sum`, which is never recorded. A number or an array goes
through the host (`numpy()`) and comes back. An object such as a mesh is read through its id. Values pass through
integers. `cause` says which.

## What is measured
Differences of the objective, which follow the values whatever carries them, against the gradient.

## What proves it
Either the link is made: the array is given a gradient, the launch is recorded, and the gradient is then right. Or it
is cut in the forward pass as well: the values it carries are held fixed, and the measured derivative falls to what the
gradient says.

## Known limits
Holding a link fixed shows that the missing part passes through it, not what its derivative is. What else is wrong
before such a link is looked for with measured derivatives in its place, where the arrays that enter links hold no more
than 128 numbers; what is wrong behind it, by judging the array in which it ends as if that were a parameter. A
deliberate detachment looks the same. State carried from tape to tape is `gradient-truncation`; an operation on the tape
that has no adjoint is `missing-adjoint`.

## Bad
```python
import warp as wp


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[wp.tid()] = x[wp.tid()] * x[wp.tid()]


@wp.kernel
def total(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, y[wp.tid()] * y[wp.tid()])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(3, dtype=float)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.launch(total, dim=3, inputs=[y], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[wp.tid()] = x[wp.tid()] * x[wp.tid()]


@wp.kernel
def total(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, y[wp.tid()] * y[wp.tid()])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.launch(total, dim=3, inputs=[y], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Differentiability": `requires_grad`, `wp.Tape`, `record_cmd`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..attribute.laboratory import treatment
from ..record.events import Event
from ..schema import Location
from . import places, without_gradient
from .base import Candidate
from .undoing import Words, held
from .without_gradient import is_floating

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "severed-chain"


def candidates(lab: Laboratory) -> list[Candidate]:
    """Links between parameter and objective that carry values but no gradient."""
    return [
        *without_gradient.candidates(lab),
        *_unrecorded_launches(lab),
        *_natives(lab),
        *_handles(lab),
        *_host_scalars(lab),
        *_integer_arrays(lab),
    ]


def _unrecorded_launches(lab: Laboratory) -> list[Candidate]:
    """Launches the tape does not hold, whose results a taped operation or the loss uses."""
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    losses = {b.loss["buffer"] for b in lab.consumptions.backwards if b.loss is not None}
    gradients = {k for k, info in lab.recording.buffers.items() if info["gradient_of"]}
    needed = set(losses)
    for event in reversed(lab.events):
        is_unrecorded = event.kind == "prebuilt-launch" or (event.kind == "launch" and event.tape is None)
        is_update = "updates" in event.info or any(t.buffer in gradients for t in event.touches)
        if not is_unrecorded or is_update:
            continue
        outputs = [t for t in event.touches if t.writes]
        if any(t.buffer in needed or _read_on_tape_later(lab, event, t.buffer) for t in outputs):
            groups[(event.site, event.name)].append(event.seq)
            needed |= {t.buffer for t in event.touches if t.reads}
    if len(groups) > 1:
        # Together where one feeds the other; the place shown is that of the last.
        site_and_kernel = next(iter(groups))
        groups[site_and_kernel] = sorted(seq for seqs in groups.values() for seq in seqs)
    found = []
    for (site, kernel), seqs in groups.items():
        event = next(e for e in lab.events if e.site == site and e.name == kernel and e.seq in set(seqs))
        location = places.of_site(lab, site)
        writes_loss = any(t.writes and t.buffer in losses for t in event.touches)
        is_prebuilt = event.kind == "prebuilt-launch"
        why = "a launch prebuilt with record_cmd=True is never recorded" if is_prebuilt else "no tape is active there"
        backward = lab.consumptions.backward_after(event.seq)
        called = None if backward is None else places.of_parting(lab, site, backward.event.site)
        called = called if called != location else None
        found.append(
            Candidate(
                kind=NAME,
                cause="loss-off-tape" if writes_loss and not is_prebuilt else "unrecorded-launch",
                treatment=treatment({"name": "record-launches", "events": seqs}),
                action=f"`{kernel}` recorded on the tape",
                title=f"`{kernel}` is not on the tape",
                message=(
                    f"`{kernel}`{places.where(location)} computes what the objective depends on, but {why}: "
                    "backward does not pass through it."
                ),
                remedy=_remedy(lab, kernel, location, None if is_prebuilt else called),
                location=location,
                related=places.related("called", called),
                weight=1e9 * len(seqs),
            )
        )
    return found


def _remedy(lab: Laboratory, kernel: str, location: Location | None, called: Location | None) -> str:
    """What to move onto the tape: the call of the function that launches, or the launch itself."""
    remedy = f"Launch `{kernel}` with wp.launch inside the `with tape:` block."
    if called is not None:
        remedy = f"Move the call{places.where(called)} into the `with tape:` block."
    if any(e.tape is not None and e.name == kernel and places.of_site(lab, e.site) == location for e in lab.events):
        remedy += " At other times the same line runs on the tape: do not reuse there what was computed off it."
    return remedy


def _read_on_tape_later(lab: Laboratory, event: Event, buffer: str) -> bool:
    """A taped operation is the next to read the array, before anything is written there that it does not read.

    Whatever the iteration: the launch may stand before its first taped one, where the earlier iteration still counts.
    """
    for later, touch in lab.touches_of(buffer):
        if later.seq > event.seq:
            if touch.reads and (later.tape is not None or later.kind == "prebuilt-launch"):
                return True
            if touch.writes and not touch.reads:
                return False
    return False


def _natives(lab: Laboratory) -> list[Candidate]:
    """Native utilities (`array_sum`, ...) have no adjoint: their result is held fixed to show the missing path."""
    groups: dict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
    for event in lab.events:
        if event.kind == "native":
            outputs = [t.buffer for t in event.touches if t.writes]
            inputs = [(event.seq, index) for index, t in enumerate(event.touches) if t.reads]
            # What is itself the objective has no later reader: held is what it is made of.
            groups[(event.site, event.name)] += _first_reads(lab, outputs, event) or (inputs if outputs else [])
    found = []
    for (site, name), targets in groups.items():
        if targets:
            location = places.of_site(lab, site)
            words = Words(
                NAME,
                f"`wp.utils.{name}` is not on the tape",
                f"`wp.utils.{name}`{places.where(location)} is never recorded on a tape.",
                f"Compute it in a kernel launched on the tape instead of `{name}`.",
                cause="unrecorded-launch",
            )
            found.append(held(words, f"the result of `{name}`", targets, location, weight=1e8))
    return found


def _handles(lab: Laboratory) -> list[Candidate]:
    """Arrays read through an object's id: the kernel sees an integer, and no gradient flows."""
    groups: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for event in lab.events:
        if event.tape is not None:
            for index, touch in enumerate(event.touches):
                if "->" in touch.path:
                    groups[(event.name, touch.path.split("->")[0])].append((event.seq, index))
    found = []
    for (kernel, handle), targets in groups.items():
        event = lab.event(targets[0][0])
        location = places.of_site(lab, event.site)
        shown = [event.touches[i] for e, i in targets if e == event.seq and is_floating(lab, event.touches[i].buffer)]
        if not shown:
            continue
        name = lab.source.name(shown[0].buffer)
        words = Words(
            NAME,
            f"`{name}` is read through a handle",
            f"`{kernel}`{places.where(location)} reads `{name}` through the id `{handle}`: no argument carries its "
            "gradient.",
            f"Pass `{name}` to the kernel as an array and index it there.",
            cause="handle",
        )
        found.append(held(words, f"`{name}` behind `{handle}`", targets, location, weight=1e8))
    return found


def _host_scalars(lab: Laboratory) -> list[Candidate]:
    """Numbers read on the host and given to a later launch of the same iteration by value."""
    groups: dict[int, list[tuple[int, str, float]]] = defaultdict(list)
    produced: set[str] = set()
    last_read: Event | None = None
    iteration = -1
    for event in lab.events:
        if event.iteration != iteration:
            iteration, last_read, produced = event.iteration, None, set()
        if event.kind == "host-read" and event.touches and event.touches[0].buffer in produced:
            last_read = event
        elif event.kind == "launch" and event.tape is not None:
            if last_read is not None:
                groups[last_read.site] += [(event.seq, n, v) for n, v in event.info.get("scalars", {}).items()]
            produced |= {t.buffer for t in event.touches if t.writes}
    found = []
    for site, targets in groups.items():
        if not targets:
            continue
        launch = lab.event(targets[0][0])
        location = places.of_site(lab, site)
        found.append(
            Candidate(
                kind=NAME,
                cause="host-round-trip",
                treatment=treatment(held=({"name": "freeze-scalars", "targets": [list(t) for t in targets]},)),
                action=f"the numbers passed to `{launch.name}` held fixed",
                title="a number computed on the host enters a launch by value",
                message=(
                    f"What is read here{places.where(location)} comes back as a number passed to `{launch.name}` "
                    "by value: the tape has no link between the two."
                ),
                remedy="Keep the number in an array and compute it in a kernel launched on the tape.",
                location=location,
                related=places.related("launch", places.of_site(lab, launch.site)),
                weight=1e8,
            )
        )
    return found


def _integer_arrays(lab: Laboratory) -> list[Candidate]:
    """Integer arrays that one taped launch computes and a later one reads."""
    groups: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    written: dict[str, tuple[Event, int]] = {}
    for event in lab.events:
        if event.tape is None or event.kind != "launch":
            continue
        for index, touch in enumerate(event.touches):
            if touch.reads and touch.buffer in written and "int" in str(lab.recording.buffers[touch.buffer]["dtype"]):
                writer, position = written[touch.buffer]
                groups[(writer.name, writer.touches[position].path)].append((event.seq, index))
        for index, touch in enumerate(event.touches):
            if touch.writes:
                written[touch.buffer] = (event, index)
    found = []
    for (kernel, path), targets in groups.items():
        reader = lab.event(targets[0][0])
        writer, position = next(
            (e, i) for e in lab.events if e.name == kernel and e.kind == "launch"
            for i, t in enumerate(e.touches) if t.path == path
        )  # fmt: skip
        location = places.of_store(lab, writer, writer.touches[position])
        name = lab.source.name(writer.touches[position].buffer)
        words = Words(
            NAME,
            f"`{name}` holds integers",
            f"`{kernel}`{places.where(location)} passes values on as integers in `{name}`: no gradient flows through "
            "them.",
            f"Keep `{name}` in floating point, or differentiate a smooth stand-in.",
            cause="integer-cast",
        )
        related = places.related("reader", places.of_site(lab, reader.site))
        found.append(held(words, f"the integers in `{name}`", targets, location, related, weight=1e7))
    return found


def _first_reads(lab: Laboratory, buffers: list[str], after: Event) -> list[tuple[int, int]]:
    """For each buffer the taped operations in the iteration that an event's result goes into, or is added to."""
    return [
        (e.seq, e.touches.index(t))
        for buffer in buffers
        for e, t in lab.touches_of(buffer, after.iteration)
        if e.seq > after.seq and (t.reads or t.accumulates) and e.tape is not None
    ]
