"""array-overwrite

## What it is
The contents of an array are changed after a launch read them and before backward reaches the adjoint of that launch,
which then differentiates at values the forward pass never had.

## Why it happens
The tape keeps references, not values: an adjoint reads what the array holds when backward runs. A buffer reused for the
next step, a state updated in place by a kernel, two buffers that take turns for more than one step, a `fill_()`, a copy
or a host write after the tape has closed. Where the adjoint does not need the contents (a sum, a linear step) the same
write is harmless.

## What is measured
A digest of everything each launch read, when it ran and again when its adjoint runs; and the differences of the
objective against the gradient.

## What proves it
The recorded contents are put back before each adjoint. If the gradient is right with that and wrong without, the array
is the cause; `mechanism` says what wrote it (a launch, a copy, a fill, the host, an in-place kernel, a reused buffer).

## Known limits
Arrays that an adjoint itself writes are left out. A change through a view that was taken with `numpy()` is placed where
the view was taken. An in-place `*=` or `/=` is `in-place-arithmetic`, an overwritten parameter `stale-gradient`.

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
    y = wp.zeros(3, dtype=float, requires_grad=True)
    z = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.launch(square, dim=3, inputs=[y], outputs=[z])
        wp.launch(total, dim=3, inputs=[z], outputs=[loss])
    y.fill_(0.0)
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
    z = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.launch(square, dim=3, inputs=[y], outputs=[z])
        wp.launch(total, dim=3, inputs=[z], outputs=[loss])
    tape.backward(loss)
    y.fill_(0.0)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Differentiability", on array overwrites; `warp.config.verify_autograd_array_access`.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..record.events import Event, Touch
from ..schema import Location
from . import places
from .base import Breadth, Candidate
from .undoing import Target, Words, restored, restoring

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory, Treatment

NAME = "array-overwrite"
MOST_GROUPS = 12
"""Kernels, and then kernel arguments, that are tried one by one: each takes a run of the program."""


def candidates(lab: Laboratory) -> list[Candidate]:
    """Arrays whose contents an adjoint found changed, one candidate per place that allocated them."""
    groups = changed_contents(lab)
    found = [c for c in (_refinable(lab, targets) for targets in groups.values()) if c is not None]
    if len(found) > 1:
        # Buffers that take turns are only right together.
        together = _refinable(lab, [t for targets in groups.values() for t in targets])
        if together is not None:
            together.breadth = Breadth.SEVERAL
            found.append(together)
    return found


def _refinable(lab: Laboratory, targets: list[Target]) -> Candidate | None:
    candidate = _candidate(lab, targets)
    if candidate is not None:
        candidate.refine = functools.partial(_refined, lab, candidate, targets)
    return candidate


def _refined(
    lab: Laboratory, candidate: Candidate, targets: list[Target], judged: Judged, held: Treatment
) -> Candidate:
    """Only the arguments whose adjoints need the old contents: one line of a program may allocate many arrays."""
    by_kernel = _needed(lab, judged, held, targets, lambda event, _: event.name)
    by_argument = _needed(lab, judged, held, by_kernel, lambda event, touch: f"{event.name} {touch.path}")
    return candidate if by_argument == targets else _candidate(lab, by_argument) or candidate


def _needed(
    lab: Laboratory, judged: Judged, held: Treatment, targets: list[Target], group: Callable[[Event, Touch], str]
) -> list[Target]:
    """The targets without those groups that the gradient is right without."""
    groups: dict[str, list[Target]] = defaultdict(list)
    for target in targets:
        event = lab.event(target[0])
        groups[group(event, event.touches[target[1]])].append(target)
    if not 1 < len(groups) <= MOST_GROUPS:
        return targets
    needed = dict(groups)
    for name in groups:
        rest = [t for other, kept in needed.items() if other != name for t in kept]
        if rest and lab.agrees(judged, held.joined(restoring(rest))):
            del needed[name]
    return [t for kept in needed.values() for t in kept]


def changed_contents(lab: Laboratory) -> dict[str, list[Target]]:
    """Per allocation site, what to restore: (event, touch, moment), for arrays that no adjoint itself has written."""
    groups: dict[str, list[Target]] = defaultdict(list)
    touched_by_adjoints = adjoint_written(lab)
    for adjoint in lab.events:
        if adjoint.kind != "adjoint" or "changed" not in adjoint.info:
            continue
        event = lab.event(adjoint.info["of"])
        for index, is_own_result in adjoint.info["changed"]:
            touch = event.touches[index]
            if touch.buffer in touched_by_adjoints:
                continue
            target = _target(event, index, touch, is_own_result)
            if target is not None:
                groups[touch.buffer.rpartition("#")[0] or touch.buffer].append(target)
    return groups


def adjoint_written(lab: Laboratory) -> set[str]:
    """Buffers that a backward pass changed although they hold forward values."""
    return {
        touch.buffer
        for adjoint in lab.events if adjoint.kind == "adjoint" and "forward_written" in adjoint.info
        for touch in lab.event(adjoint.info["of"]).touches if touch.path in adjoint.info["forward_written"]
    }  # fmt: skip


def _target(event: Event, index: int, touch: Touch, is_own_result: bool) -> Target | None:
    """What to put back: what the launch read, or, where others changed what it wrote, what it left behind."""
    wrote = event.info.get("after", {}).get(touch.path, touch.digest) != touch.digest
    if wrote and is_own_result:
        # Its own result is still there; only a kernel that reads before it writes needs the older contents.
        return (event.seq, index, "before") if touch.reads else None
    if wrote and not touch.reads:
        return (event.seq, index, "after")
    return (event.seq, index, "before")


def _candidate(lab: Laboratory, targets: list[Target]) -> Candidate | None:
    clobber = next((c for c in (_clobber(lab, t) for t in targets) if c is not None), None)
    if clobber is None:
        return _through_a_view(lab, targets)
    reader, touch, writer, written = clobber
    name = lab.source.name(touch.buffer)
    is_in_place = writer is reader
    is_scaling = is_in_place and _is_scaling(lab, writer, written)
    read_at = places.of_site(lab, reader.site)
    made = None if is_in_place else _made_elsewhere(lab, touch, writer)
    if is_in_place:
        location = places.of_store(lab, writer, written)
        message = (
            f"`{writer.name}`{places.where(location)} reads `{name}` and overwrites it in place; "
            f"its adjoint then finds the new contents."
        )
        remedy = f"Write the result of `{writer.name}` to a second array."
    else:
        location = places.of_site(lab, writer.site)
        what = {"fill": "filled", "copy": "overwritten by a copy", "host-write": "changed from the host"}
        message = (
            f"`{name}` is {what.get(writer.kind, f'changed by `{writer.name}`')}{places.where(location)} after "
            f"`{reader.name}`{places.where(read_at)} read it and before its adjoint needs it."
        )
        remedy = f"Give each use its own array, or copy `{name}` before {location or 'the write'}."
        if made is not None:
            remedy += f" It was made at {made}: if a fresh one was meant here, something has handed it out again."
    if is_scaling:
        message = f"`{writer.name}`{places.where(location)} scales `{name}` in place, which has no right adjoint."
    kind, title = NAME, f"`{name}` is overwritten before backward"
    mechanism: str | None = _mechanism(lab, reader, touch, writer, is_in_place)
    if is_scaling:
        kind, mechanism = "in-place-arithmetic", None
    words = Words(kind, title, message, remedy, mechanism=mechanism)
    if touch.buffer in lab.parameters and not is_scaling:
        words, made = _updated(name, places.where(location), reader, places.where(read_at)), None
    found = restored(lab, words, name, targets, reader, location)
    found.related += places.related("array made", made)
    others = _others(lab, targets, name)
    for other, where in others:
        found.message += f" So is `{other}`{places.where(where)}."
        found.related += places.related("overwritten", where if where != location else None)
    if others:
        found.remedy += f" The same goes for {places.listed([other for other, _ in others])}."
    return found


def _others(lab: Laboratory, targets: list[Target], told: str) -> list[tuple[str, Location | None]]:
    """Further arrays among the targets and where each is overwritten; one line may have allocated them all."""
    alike: dict[tuple[int, int, str], Target] = {}
    for target in targets:
        event = lab.event(target[0])
        touch = event.touches[target[1]]
        alike.setdefault((lab.recording.buffers[touch.buffer]["site"], event.site, touch.path), target)
    found: dict[str, Location | None] = {}
    for clobber in (_clobber(lab, target) for target in list(alike.values())[:MOST_GROUPS]):
        if clobber is not None:
            _, touch, writer, _ = clobber
            found.setdefault(lab.source.name(touch.buffer), places.of_site(lab, writer.site))
    return [(name, where) for name, where in found.items() if name != told]


def _made_elsewhere(lab: Laboratory, touch: Touch, writer: Event) -> Location | None:
    """Where the array was made, if not by the function that writes it: by a pool, a cache or a constructor."""
    made, written = places.of_site(lab, lab.recording.buffers[touch.buffer]["site"]), places.of_site(lab, writer.site)
    if made is None or written is None or (made.file, made.function) == (written.file, written.function):
        return None
    return made


def _updated(name: str, where: str, reader: Event, read_where: str) -> Words:
    """A parameter that changes between its use and backward."""
    return Words(
        "stale-gradient",
        f"`{name}` is updated before backward",
        f"`{name}` is updated{where} after `{reader.name}`{read_where} used it and before backward: the gradient "
        "belongs to neither the old values nor the new ones.",
        f"Run backward before `{name}` is updated.",
    )


def _through_a_view(lab: Laboratory, targets: list[Target]) -> Candidate | None:
    """No operation wrote the array: it was changed through a host view or a pointer that the program took."""
    reader = lab.event(targets[0][0])
    touch = reader.touches[targets[0][1]]
    exposed_at = lab.recording.buffers[touch.buffer]["exposed_at"]
    if exposed_at is None:
        return None
    name, location = lab.source.name(touch.buffer), places.of_site(lab, exposed_at)
    read_where = places.where(places.of_site(lab, reader.site))
    if touch.buffer in lab.parameters:
        words = _updated(name, f" through memory that is shared here{places.where(location)},", reader, read_where)
    else:
        words = Words(
            NAME,
            f"`{name}` is changed from the host before backward",
            f"`{name}` is changed through memory that is shared with the host here{places.where(location)}, after "
            f"`{reader.name}`{read_where} read it and before its adjoint needs it.",
            f"Change a copy of `{name}`, as `.numpy().copy()` and `.clone()` make one.",
            mechanism="host-write",
        )
    return restored(lab, words, name, targets, reader, location)


def _clobber(lab: Laboratory, target: Target) -> tuple[Event, Touch, Event, Touch] | None:
    """Who read, and who then wrote before the reader's adjoint ran: (reader, its touch, writer, its touch)."""
    reader = lab.event(target[0])
    touch = reader.touches[target[1]]
    if target[2] == "before" and touch.writes and touch.reads:
        after = reader.info.get("after", {}).get(touch.path, touch.digest)
        if after != touch.digest:
            return reader, touch, reader, touch
    for event in lab.events:
        if event.kind == "adjoint" and event.info.get("of") == reader.seq:
            return None
        if event.seq <= reader.seq or event.kind == "adjoint":
            continue
        for other in event.touches:
            if other.buffer == touch.buffer and other.writes and _overlaps(touch, other):
                return reader, touch, event, other
    return None


def _is_scaling(lab: Laboratory, writer: Event, touch: Touch) -> bool:
    """The store is a ``*=`` or ``/=``: the kernel's arithmetic is at fault, not the order of launches."""
    kernel = lab.recording.environment["kernels"].get(writer.name)
    if kernel is None or touch.write_line is None:
        return False
    lines = kernel["source"].splitlines()
    index = touch.write_line - int(kernel["line"])
    return 0 <= index < len(lines) and any(symbol in lines[index] for symbol in ("*=", "/="))


def _overlaps(a: Touch, b: Touch) -> bool:
    return a.offset < b.offset + max(b.nbytes, 1) and b.offset < a.offset + max(a.nbytes, 1)


def _mechanism(lab: Laboratory, reader: Event, touch: Touch, writer: Event, is_in_place: bool) -> str:
    if is_in_place:
        return "in-place-kernel"
    closed = any(e.kind == "tape-exit" and reader.seq < e.seq < writer.seq for e in lab.events)
    if closed and writer.iteration == reader.iteration:
        return "after-tape-closed"
    if writer.kind in ("copy", "fill", "host-write"):
        return writer.kind
    if "." in touch.path:
        return "struct-member"
    return "reused-buffer" if writer.name == reader.name or writer.tape is not None else "launch"
