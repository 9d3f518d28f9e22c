"""The recorder: every operation of the program passes through `Recorder.operation`.

Deliberately plain. It notes what happened and takes digests; every judgement is made on the other side of the process
boundary.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from . import kernels
from . import memory as mem
from .events import FORMAT_VERSION, Event, Recording, Touch, buffer_to_json
from .internals import context
from .iterations import IterationTracker
from .plan import Plan
from .reported import Reported
from .sites import SiteTable, to_json

Thunk = Callable[[], Any]

SLOW_IMPORTS = ("torch", "torch._dynamo", "jax")
"""Packages that take seconds to import; a worker can do it once for all later runs of a program that uses them."""


class Recorder:
    """State of one recorded execution."""

    def __init__(self, plan: Plan, control: Any) -> None:
        self.plan = plan
        self.control = control
        warp_folder = os.path.dirname(os.path.abspath(wp.__file__))
        self.sites = SiteTable((warp_folder,))
        self.memory = mem.Memory(self.sites)
        self.reported = Reported(self.sites)
        self.iterations = IterationTracker()
        self.events: list[Event] = []
        self.arrays: dict[str, np.ndarray] = {}
        self.kernels: dict[str, dict[str, Any]] = {}
        self.seq = 0
        self.depth = 0
        self.backward_depth = 0
        self.backward_count = 0
        self.is_full = plan.level == "full"
        self.is_bare = False
        """Nothing but the sequence of operations is wanted any more: an evaluation."""
        self.structure = hashlib.blake2b(digest_size=8)
        self.created_at: dict[str, int] = {}
        self.started = time.perf_counter()
        self.deferred: list[Thunk] | None = None
        """Operations issued inside a graph capture; None outside of one."""
        self.original_launch: Callable[..., Any] = wp.launch
        self.capture_device: Any = None
        self.gradient_views: list[dict[str, Any]] = []
        """Numpy views of gradients handed to the program on the CPU: their contents may change under it."""
        self.lines: Any = None
        """Which lines of the user's files ran, where the plan asks for it."""
        self.tape_ids: dict[int, int] = {}
        self.tapes: list[Any] = []

    # --- operations -------------------------------------------------------------------------------------------
    def operation(
        self, kind: str, name: str, touches: list[tuple[Touch, Any]], run: Thunk, info: dict[str, Any] | None = None
    ) -> Any:
        """Run one operation of the program with everything noted around it.

        ``touches`` pairs each `Touch` with its ``wp.array``. Inside another operation (Warp calling itself) only the
        thunk runs. Inside a graph capture the operation is kept for every later launch of the graph.
        """
        if self.depth:
            return run()
        if self.deferred is not None:
            self.deferred.append(lambda: self.operation(kind, name, touches, run, info))
            return None
        if self.is_bare:
            return self.run_bare(kind, name, (info or {}).get("dim"), run)
        event = self.begin(kind, name, touches, info)
        tape = context.runtime.tape
        recorded_before = len(tape.launches) if tape is not None else 0
        self.depth += 1
        try:
            result = run()
        finally:
            self.depth -= 1
        if tape is not None and len(tape.launches) > recorded_before:
            self.control.bind(tape, recorded_before, event, touches)
        elif kind == "copy":
            event.tape = None
        self.end(event, touches)
        return result

    def run_bare(self, kind: str, name: str, dim: Any, run: Thunk) -> Any:
        """Run one operation of which only its place in the sequence matters."""
        self.structure.update(f"{kind}|{name}|{dim};".encode())
        self.depth += 1
        try:
            return run()
        finally:
            self.depth -= 1

    def begin(
        self, kind: str, name: str, touches: list[tuple[Touch, Any]], info: dict[str, Any] | None = None
    ) -> Event:
        """Note an operation that is about to run."""
        event = Event(self.seq, kind, name, self.sites.current(), self.iterations.index, [t for t, _ in touches])
        event.info.update(info or {})
        event.tape = self.current_tape() if kind in ("launch", "copy", "func") else None
        self._note_unseen_writes(event, touches)
        for touch, _ in touches:
            if touch.reads:
                self._note_gradient_use(touch, kind, name)
        if self.iterations.begins_iteration(event, self.created_at):
            self.control.iteration_ended()
            if self.iterations.index >= self.plan.iterations:
                self.finish("stopped", "iterations")
            event.iteration = self.iterations.index
        event.seq = self.seq
        self.control.before(event, touches)
        self.seq += 1
        self.events.append(event)
        if self.is_full:
            for touch, array in touches:
                touch.digest = self.digest(array)
        shape = ",".join(str(t.nbytes) for t in event.touches)
        self.structure.update(f"{kind}|{name}|{event.info.get('dim')}|{shape};".encode())
        return event

    def end(self, event: Event, touches: list[tuple[Touch, Any]]) -> None:
        """Note an operation that has run: what it may have changed is no longer known."""
        for touch, array in touches:
            if touch.writes:
                self.invalidate(array)
                if self.is_full and event.tape is not None:
                    event.info.setdefault("after", {})[touch.path] = self.digest(array)
        self._note_updates(event)
        self.iterations.after(event)
        self.control.after(event, touches)

    def note(self, kind: str, name: str, info: dict[str, Any] | None = None, site: int | None = None) -> Event:
        """Append an event that touches no array."""
        where = self.sites.current() if site is None else site
        event = Event(self.seq, kind, name, where, self.iterations.index, [], None, info or {})
        self.seq += 1
        self.events.append(event)
        return event

    # --- arrays -----------------------------------------------------------------------------------------------
    def touch(self, array: Any, path: str, reads: bool, writes: bool, accumulates: bool = False) -> Touch | None:
        """A `Touch` for an array; None for an empty one."""
        if (self.is_bare and self.deferred is None) or not getattr(array, "ptr", None):
            return None
        buffer = self.memory.of(array)
        if buffer is None:
            return None
        start, nbytes = mem.extent(array)
        has_gradient = bool(array.requires_grad and array.grad is not None)
        return Touch(buffer.key, path, reads, writes, accumulates, None, has_gradient, start - buffer.start, nbytes)

    def digest(self, array: Any) -> str:
        """Hex digest of an array's contents, from the cache where nothing can have changed it."""
        buffer = self.memory.of(array)
        region = mem.extent(array)
        if buffer is None:
            return mem.digest(array).hex()
        known = buffer.digests.get(region)
        if known is None or buffer.exposed_at is not None:
            known = buffer.digests[region] = mem.digest(array)
        return known.hex()

    def invalidate(self, array: Any) -> None:
        """The contents of an array's buffer may have changed."""
        buffer = self.memory.of(array)
        if buffer is None:
            return
        buffer.invalidate()
        if buffer.exposed_at is not None and self.is_full:
            # Changes that no operation makes are told from these contents.
            buffer.digests[mem.extent(array)] = mem.digest(array)

    def note_kernel(self, kernel: Any) -> None:
        """Describe a kernel once."""
        key = str(kernel.key)
        if self.is_full and key not in self.kernels:
            self.kernels[key] = kernels.describe(kernel)

    def store(self, prefix: str, contents: np.ndarray) -> str:
        """Keep contents in the recording; returns the key."""
        key = f"{prefix}{len(self.arrays)}"
        self.arrays[key] = np.array(contents, copy=True)
        return key

    def current_tape(self) -> int | None:
        """Number of the tape that is recording, in order of first use; None outside of tapes."""
        tape = context.runtime.tape
        return None if tape is None else self.tape_id(tape)

    def tape_id(self, tape: Any) -> int:
        """Number of a tape; the tape is kept alive so that its address is not given to another."""
        known = self.tape_ids.get(id(tape))
        if known is None:
            known = self.tape_ids[id(tape)] = len(self.tapes)
            self.tapes.append(tape)
        return known

    def renew_tape(self, tape: Any) -> None:
        """A tape that holds nothing any more and is entered again counts as a new one."""
        if id(tape) in self.tape_ids:
            self.tape_ids[id(tape)] = len(self.tapes)
            self.tapes.append(tape)

    # --- gradients and updates --------------------------------------------------------------------------------
    def _note_unseen_writes(self, event: Event, touches: list[tuple[Touch, Any]]) -> None:
        """Contents that changed although no operation was seen: through a host view, a pointer, another framework."""
        for touch, array in touches:
            buffer = self.memory.of(array)
            if buffer is None or buffer.exposed_at is None or not self.is_full:
                continue
            region = mem.extent(array)
            before, now = buffer.digests.get(region), mem.digest(array)
            if before is not None and before != now:
                info = {"exposed_at": buffer.exposed_at}
                change = self.note("host-write", touch.path, info, site=buffer.exposed_at)
                change.touches = [Touch(touch.buffer, touch.path, False, True, nbytes=touch.nbytes)]
                self._note_updates(change)
                self.iterations.after(change)
            buffer.digests[region] = now

    def _note_gradient_use(self, touch: Touch, kind: str, name: str) -> None:
        buffer = self.memory.buffers.get(touch.buffer)
        if buffer is not None and buffer.gradient_of and not self.backward_depth:
            owner = buffer.owner() if buffer.owner is not None else None
            if owner is not None:
                self.gradient_read(owner, f"{kind} {name}", None)

    def gradient_read(self, gradient: Any, how: str, view: np.ndarray | None) -> None:
        """The program reads a gradient: a consumption."""
        buffer = self.memory.of(gradient)
        if buffer is None or buffer.gradient_of is None:
            return
        key = self.store("gradient", mem.host_view(gradient))
        info = {"parameter": buffer.gradient_of, "gradient": buffer.key, "contents": key, "how": how}
        event = self.note("gradient-read", how, info)
        self.iterations.gradient_read(buffer.gradient_of, event.seq)
        if view is not None and gradient.device.is_cpu:
            self.gradient_views.append({"view": view, "event": event})

    def _note_updates(self, event: Event) -> None:
        """If this operation updates a consumed leaf, note what the views given out hold by now."""
        if event.tape is not None or self.iterations.is_restored(event):
            return
        updated = [t.buffer for t in event.touches if t.writes and self.iterations.is_consumed(t.buffer)]
        if updated:
            event.info["updates"] = updated
            self.note_stale_views(event)

    def note_stale_views(self, event: Event) -> None:
        """Gradient views that the program still holds and whose contents are no longer what was read."""
        for entry in self.gradient_views:
            read = entry["event"]
            # One reference in this entry, one as the argument of getrefcount, one in the loop's own expression.
            if sys.getrefcount(entry["view"]) <= 2:
                continue
            if entry["view"].tobytes() != self.arrays[read.info["contents"]].tobytes():
                key = self.store("gradient", entry["view"])
                event.info.setdefault("stale_views", []).append({"read": read.seq, "contents": key})
        self.gradient_views = [e for e in self.gradient_views if sys.getrefcount(e["view"]) > 2]

    # --- the end ----------------------------------------------------------------------------------------------
    def recording(self, status: str, detail: str = "") -> Recording:
        """What was recorded so far."""
        runtime = context.runtime
        devices = [str(d) for d in wp.get_devices()] if runtime is not None else []
        environment = {
            "python": sys.version.split()[0],
            "platform": sys.platform,
            "warp": wp.config.version,
            "numpy": np.__version__,
            "torch": getattr(sys.modules.get("torch"), "__version__", None),
            "slow_imports": [name for name in SLOW_IMPORTS if name in sys.modules],
            "lines": {} if self.lines is None else self.lines.to_json(),
            "devices": devices,
            "kernels": self.kernels,
            "nondifferentiable": kernels.nondifferentiable_builtins() if self.is_full else [],
            "device": str(wp.get_device()) if runtime is not None else "none",
        }
        outcome = {
            "status": status,
            "detail": detail,
            "seconds": time.perf_counter() - self.started,
            "iterations": self.iterations.completed,
            "backwards": self.backward_count,
            "structure": self.structure.hexdigest(),
        }
        buffers = {key: buffer_to_json(b) for key, b in self.memory.buffers.items()}
        sites = to_json(self.sites.table)
        return Recording(FORMAT_VERSION, environment, sites, self.events, buffers, outcome, self.arrays)

    def finish(self, status: str, detail: str = "") -> None:
        """Write the recording and end this process: nothing of the program runs afterwards."""
        self.control.finish(status, detail)
