"""One launch by itself: its adjoint against differences of its outputs, at the contents it is about to read.

Runs in a fork that may crash. Every array the launch touches is put back before each run, integer ones included, so
that counters and in-place kernels start from the same contents every time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from ...record import memory
from ...record.events import Event, Touches
from ...record.internals import context
from ...record.memory import extent, host_copy, host_view

STEPS = tuple(2.0**-m for m in (1, 3, 5, 7, 9, 11, 13))
"""Ratio 4. The coarse ones serve launches that change their outputs little (a short time step), the fine ones kinks."""

DIRECTIONS = 3
JITTER = (0.5, 1.5)
FLOOR = 1e-3
"""Typical size of an array whose contents are zero."""


@dataclass
class Slot:
    """Arrays of a launch that share memory, represented by the largest floating one; counted once."""

    path: str
    paths: list[str]
    array: Any
    members: list[Any]
    start: int
    end: int
    reads: bool
    writes: bool
    is_floating: bool


def local_check(control: Any, event: Event, touches: Touches, request: dict[str, Any]) -> dict[str, Any]:
    """Check the launch that is about to run.

    ``request``: ``seed``, ``effort`` in seconds (directions are added while time lasts). The answer's ``pairs`` hold,
    for each array read and each array written, the ladder of every direction: rows of (h, difference, prediction,
    slack, noise), the last two in units of a derivative, and the size derivatives of this kind have.
    """
    given = control.launch_arguments
    if event.kind != "launch" or not given or given["kernel"].key != event.name:
        return {"status": "no-arguments"}
    control.recorder.depth += 1
    context.runtime.tape = None
    slots = _slots(touches)
    arguments = [*(given.get("inputs") or ()), *(given.get("outputs") or ())]
    known = {int(a.ptr) for s in slots for a in s.members}
    if any(int(a.ptr) not in known for a in _arrays(arguments)):
        return {"status": "no-arguments"}
    probe = _Probe(given, arguments, slots)
    return _measure(probe, np.random.default_rng(request["seed"]), float(request["effort"]))


def _measure(probe: _Probe, rng: np.random.Generator, seconds: float) -> dict[str, Any]:
    started = time.perf_counter()
    inputs = [s for s in probe.slots if s.is_floating and s.reads]
    outputs = [s for s in probe.slots if s.is_floating and s.writes]
    baseline = {s.path: lanes(c) for s, c in zip(outputs, probe.run({}, outputs), strict=True)}
    pairs = {(i.path, o.path): _Pair(i, o) for i in inputs for o in outputs}
    for number in range(DIRECTIONS):
        if number and time.perf_counter() - started > seconds / DIRECTIONS:
            break
        weights = {o.path: _weights(rng, baseline[o.path]) for o in outputs}
        adjoints = {o.path: probe.adjoint(o, weights[o.path]) for o in outputs}
        for i in inputs:
            direction = _direction(rng, lanes(probe.saved[i.path]))
            rungs: dict[str, list[tuple[float, ...]]] = {o.path: [] for o in outputs}
            for h in STEPS:
                delta, plus, minus = probe.difference(i, direction, h, outputs)
                for o, above, below in zip(outputs, plus, minus, strict=True):
                    w, f0 = weights[o.path], baseline[o.path]
                    prediction = _dot(adjoints[o.path][i.path], delta)
                    rungs[o.path].append((h, *_rung(w, f0, lanes(above), lanes(below), h, prediction)))
            for o in outputs:
                pairs[(i.path, o.path)].add(rungs[o.path], _size(adjoints[o.path][i.path], direction))
    return {
        "status": "ok",
        "pairs": [vars(pair) for pair in pairs.values()],
        "launches": probe.launches,
        "seconds": time.perf_counter() - started,
    }


class _Pair:
    """What was measured of one output with respect to one input."""

    def __init__(self, source: Slot, result: Slot) -> None:
        self.inputs = source.paths
        """Argument paths that name the array read, and below the one written; the first stands for all."""
        self.outputs = result.paths
        self.is_own = source is result
        """The derivative with respect to the earlier contents of the same array."""
        self.directions: list[list[tuple[float, ...]]] = []
        self.scale = 0.0

    def add(self, rungs: list[tuple[float, ...]], scale: float) -> None:
        self.directions.append(rungs)
        self.scale = max(self.scale, scale) if np.isfinite(scale) else self.scale


class _Probe:
    """The launch, on the program's own memory, with gradients of our own for every floating array."""

    def __init__(self, given: dict[str, Any], arguments: list[Any], slots: list[Slot]) -> None:
        self.slots = slots
        self.launches = 0
        self.kernel = given["kernel"]
        names = ("dim", "device", "max_blocks", "block_dim")
        self._options = {n: given[n] for n in names if n in given}
        self.saved = {s.path: host_copy(s.array) for s in slots}
        self._saved_members = [(a, host_copy(a)) for s in slots for a in s.members]
        self._mirror = _Mirror(slots)
        self._arguments = [self._mirror.substitute(a) for a in arguments]

    def restore(self) -> None:
        """Every array as the launch found it."""
        for array, contents in self._saved_members:
            memory.put(array, contents)

    def run(self, changes: dict[str, np.ndarray], outputs: list[Slot]) -> list[np.ndarray]:
        """Outputs of the launch with the contents of some arrays changed."""
        self.restore()
        for slot in self.slots:
            if slot.path in changes:
                memory.put(slot.array, changes[slot.path])
        self.launches += 1
        wp.launch(self.kernel, inputs=self._arguments, record_tape=False, **self._options)
        return [host_copy(o.array) for o in outputs]

    def difference(
        self, slot: Slot, direction: list[np.ndarray], h: float, outputs: list[Slot]
    ) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
        """Realised step (float64, one array per lane) and the outputs on both sides."""
        above, below = (self.saved[slot.path].copy() for _ in range(2))
        for u, p, m in zip(direction, lanes(above), lanes(below), strict=True):
            p += (h * u).astype(p.dtype)
            m -= (h * u).astype(m.dtype)
        delta = [p.astype(np.float64) - m.astype(np.float64) for p, m in zip(lanes(above), lanes(below), strict=True)]
        return delta, self.run({slot.path: above}, outputs), self.run({slot.path: below}, outputs)

    def adjoint(self, output: Slot, weights: list[np.ndarray]) -> dict[str, list[np.ndarray]]:
        """Gradient of ``weights . output`` for every floating array.

        As `Tape.backward` would run it, the arrays hold what the launch left in them, and a kernel with backward
        switched off is passed over.
        """
        self.run({}, [])
        self._mirror.seed(output, weights)
        if _has_backward(self.kernel):
            tape = wp.Tape()
            adjoints = [tape.get_adjoint(a) for a in self._arguments]
            self.launches += 1
            wp.launch(
                self.kernel, inputs=self._arguments, adj_inputs=adjoints, adjoint=True, record_tape=False,
                **self._options,
            )  # fmt: skip
        return {s.path: lanes(self._mirror.contents(s)) for s in self.slots if s.is_floating}


class _Mirror:
    """Gradient memory laid out like the arrays: views of one array share gradients as they share contents."""

    def __init__(self, slots: list[Slot]) -> None:
        self._slots = [s for s in slots if s.is_floating]
        self._blocks = [wp.zeros(s.end - s.start, dtype=wp.uint8, device=s.array.device) for s in self._slots]

    def _place(self, array: Any) -> Any:
        """The gradient of an array; None where it has none."""
        start, _ = extent(array)
        for slot, block in zip(self._slots, self._blocks, strict=True):
            if slot.start <= start < slot.end and (memory.is_floating(array) or _is_struct_array(array)):
                address = int(block.ptr) + int(array.ptr) - slot.start
                return wp.array(
                    ptr=address, dtype=array.dtype, shape=array.shape, strides=array.strides, device=array.device
                )
        return None

    def substitute(self, value: Any) -> Any:
        """An argument with every floating array replaced by one on the same memory that carries a gradient."""
        if isinstance(value, wp.array) and value.ptr:
            gradient = self._place(value)
            if gradient is None:
                return value
            return wp.array(
                ptr=int(value.ptr), dtype=value.dtype, shape=value.shape, strides=value.strides, device=value.device,
                grad=gradient, requires_grad=True,
            )  # fmt: skip
        cls = getattr(value, "_cls", None)
        if cls is None or not hasattr(cls, "vars"):
            return value
        copy = cls()
        for name in cls.vars:
            setattr(copy, name, self.substitute(getattr(value, name)))
        return copy

    def seed(self, output: Slot, weights: list[np.ndarray]) -> None:
        """All gradients zero but that of one output."""
        for block in self._blocks:
            block.zero_()
        gradient = self._place(output.array)
        contents = host_copy(gradient)
        for lane, w in zip(lanes(contents), weights, strict=True):
            lane[...] = w
        memory.put(gradient, contents)

    def contents(self, slot: Slot) -> np.ndarray:
        """The gradient of an array, as numpy."""
        return host_copy(self._place(slot.array))


# --- arrays of a launch ---------------------------------------------------------------------------------------------
def _slots(touches: Touches) -> list[Slot]:
    """Touched arrays grouped by overlapping memory, in order of address."""
    slots: list[Slot] = []
    for touch, array in sorted(touches, key=lambda item: extent(item[1])[0]):
        start, nbytes = extent(array)
        slot = Slot(
            touch.path, [touch.path], array, [array], start, start + nbytes,
            touch.reads or touch.accumulates, touch.writes, bool(lanes(host_view(array))),
        )  # fmt: skip
        if slots and start < slots[-1].end:
            _join(slots[-1], slot)
        else:
            slots.append(slot)
    return slots


def _join(slot: Slot, other: Slot) -> None:
    is_better = (other.is_floating, other.array.size) > (slot.is_floating, slot.array.size)
    if is_better:
        slot.path, slot.array = other.path, other.array
    slot.paths += other.paths
    slot.members += other.members
    slot.end = max(slot.end, other.end)
    slot.reads |= other.reads
    slot.writes |= other.writes
    slot.is_floating |= other.is_floating


def _arrays(values: list[Any]) -> list[Any]:
    """Arrays among launch arguments, struct members included."""
    found = []
    for value in values:
        cls = getattr(value, "_cls", None)
        if isinstance(value, wp.array):
            found += [value] if value.ptr else []
        elif cls is not None and hasattr(cls, "vars"):
            found += _arrays([getattr(value, name) for name in cls.vars])
    return found


def _is_struct_array(array: Any) -> bool:
    return bool(lanes(host_view(array))) and host_view(array).dtype.names is not None


def lanes(contents: np.ndarray) -> list[np.ndarray]:
    """The floating parts of an array's contents, as views: itself, or the floating fields of a structured array."""
    if contents.dtype.names is None:
        return [contents] if np.issubdtype(contents.dtype, np.floating) else []
    return [lane for name in contents.dtype.names for lane in lanes(contents[name])]


def _has_backward(kernel: Any) -> bool:
    own = kernel.options.get("enable_backward")
    return bool(kernel.module.options.get("enable_backward", True) if own is None else own)


# --- numbers --------------------------------------------------------------------------------------------------------
def _direction(rng: np.random.Generator, contents: list[np.ndarray]) -> list[np.ndarray]:
    """Jittered signs times the typical size of each element, float64; 0 where the contents are not finite."""
    found = []
    for lane in contents:
        x = lane.astype(np.float64)
        is_finite = np.isfinite(x)
        size = np.where(is_finite, np.abs(x), 0.0)
        rms = float(np.sqrt(np.mean(size**2))) if size.size else 0.0
        signs = rng.choice((-1.0, 1.0), x.shape) * rng.uniform(*JITTER, x.shape)
        found.append(np.where(is_finite, signs * np.maximum(size, max(rms, FLOOR)), 0.0))
    return found


def _weights(rng: np.random.Generator, contents: list[np.ndarray]) -> list[np.ndarray]:
    """Jittered signs, 0 where the launch leaves no number."""
    return [
        np.where(np.isfinite(c), rng.choice((-1.0, 1.0), c.shape) * rng.uniform(*JITTER, c.shape), 0.0)
        .astype(c.dtype)
        .astype(np.float64)
        for c in contents
    ]


def _rung(
    weights: list[np.ndarray], middle: list[np.ndarray], plus: list[np.ndarray], minus: list[np.ndarray], h: float,
    prediction: float,
) -> tuple[float, float, float, float]:  # fmt: skip
    """(difference, prediction, slack, noise): slack is half the gap between the two one-sided derivatives."""
    difference, gap, rounding = 0.0, 0.0, 0.0
    for w, f0, p, m in zip(weights, middle, plus, minus, strict=True):
        used = w != 0.0
        w, above, below, at = w[used], *(a[used].astype(np.float64) for a in (p, m, f0))
        difference += float(np.sum(w * (above - below)))
        gap += float(np.sum((w * (above - 2.0 * at + below)) ** 2))
        rounding += float(np.sum((w * 0.5 * np.spacing(np.abs(f0[used])).astype(np.float64)) ** 2))
    noise = float(np.sqrt(rounding / 2.0)) / h
    return difference, prediction, float(np.sqrt(gap)) / h + noise, noise


def _dot(gradient: list[np.ndarray], delta: list[np.ndarray]) -> float:
    # A gradient that is not finite counts even where the step is 0.
    return float(sum(np.sum(g.astype(np.float64) * d) for g, d in zip(gradient, delta, strict=True)))


def _size(gradient: list[np.ndarray], direction: list[np.ndarray]) -> float:
    squares = [np.sum((g.astype(np.float64) * u) ** 2) for g, u in zip(gradient, direction, strict=True)]
    return float(np.sqrt(sum(squares)))
