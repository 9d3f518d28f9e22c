"""What backward does: seeds, adjoints in order, and whether the contents they read are still the recorded ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import memory as mem
from .events import Event, Touch
from .internals import context
from .recorder import Recorder


@dataclass
class Bound:
    """One entry of a tape and the operation that recorded it."""

    event: Event
    touches: list[tuple[Touch, Any]]
    entry: Any
    position: int


class TapeLog:
    """Links the entries of every tape to the recorded operations, and watches them run backwards."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.bound: dict[int, list[Bound]] = {}
        self._places: dict[int, dict[int, int]] = {}
        """For each tape, where in its list of `bound` the latest link of a position stands."""
        self._by_inputs: dict[int, dict[int, Bound]] = {}
        """For each tape, links of launches by the identity of their list of inputs."""
        self.loss_values: dict[str, tuple[int, float]] = {}
        """Losses that backward ran on: the iteration and the value."""
        self.user_written: set[str] = set()
        """Gradient buffers that the program wrote since the last backward pass: manual seeds."""
        self.skip: Callable[[Bound], bool] | None = None

    # --- recording onto a tape --------------------------------------------------------------------------------
    def bind(self, tape: Any, position: int, event: Event, touches: list[tuple[Touch, Any]]) -> None:
        """Note which operation made the entries of ``tape.launches`` from ``position`` on."""
        for index in range(position, len(tape.launches)):
            self._link(tape, index, event, touches)

    def bind_one(self, tape: Any, position: int, event: Event, touches: list[tuple[Touch, Any]]) -> None:
        """Link a single entry; the latest execution of a captured operation is the one backward refers to."""
        place = self._places.get(self.recorder.tape_id(tape), {}).get(position)
        self._link(tape, position, event, touches, place)

    def _link(
        self, tape: Any, position: int, event: Event, touches: list[tuple[Touch, Any]], place: int | None = None
    ) -> None:
        """Add a link, or put it in the place of an older one of the same entry."""
        tape_id = self.recorder.tape_id(tape)
        bound = Bound(event, touches, tape.launches[position], position)
        if callable(bound.entry):
            bound.entry = tape.launches[position] = self._watched(bound.entry, bound)
        else:
            self._by_inputs.setdefault(tape_id, {})[id(bound.entry[3])] = bound
        log = self.bound.setdefault(tape_id, [])
        if place is not None:
            log[place] = bound
            return
        self._places.setdefault(tape_id, {})[position] = len(log)
        log.append(bound)

    def reset(self, tape: Any) -> None:
        """The tape dropped its entries."""
        for table in (self.bound, self._places, self._by_inputs):
            table.pop(self.recorder.tape_id(tape), None)

    def note_gradient_write(self, touches: list[tuple[Touch, Any]], zeroes: bool) -> None:
        """The program writes gradients, or resets a loss, itself."""
        for touch, _ in touches:
            buffer = self.recorder.memory.buffers.get(touch.buffer)
            if zeroes:
                self.loss_values.pop(touch.buffer, None)
            if buffer is not None and buffer.gradient_of and touch.writes:
                (self.user_written.discard if zeroes else self.user_written.add)(touch.buffer)

    # --- running backwards ------------------------------------------------------------------------------------
    def begin(self, tape: Any, loss: Any, grads: Any) -> Event:
        """A backward pass begins: note the objective it is seeded with."""
        rec = self.recorder
        rec.iterations.backward()
        ordinal = rec.backward_count
        rec.backward_count += 1
        tape_id = rec.tape_id(tape)
        info: dict[str, Any] = {"ordinal": ordinal, "tape": tape_id, "entries": len(tape.launches)}
        if loss is not None:
            info["loss"] = self._loss_info(tape_id, loss)
        info["seeds"] = self._seeds(tape_id, loss, grads)
        if rec.is_full:
            info["nonzero_gradients"] = self._leftover(tape_id, loss, info["seeds"])
        event = rec.note("backward-begin", "backward", info)
        event.tape = tape_id
        rec.control.backward(event, tape, loss)
        if rec.iterations.idle_backwards > rec.plan.max_idle_backwards:
            rec.finish("stopped", "no-update")
        return event

    def _loss_info(self, tape_id: int, loss: Any) -> dict[str, Any]:
        rec = self.recorder
        buffer = rec.memory.of(loss)
        assert buffer is not None
        touches = [
            (b.event.seq, t) for b in self.bound.get(tape_id, []) for t in b.event.touches if t.buffer == buffer.key
        ]
        writes = [(seq, t) for seq, t in touches if t.writes]
        value = float(mem.host_view(loss).reshape(-1)[0])
        return {
            "buffer": buffer.key,
            "value": value,
            "first_value": self._counted_before(buffer.key, value),
            "accumulates": bool(writes) and all(t.accumulates for _, t in writes),
            "last_write": max((seq for seq, _ in writes), default=-1),
            "dtype": buffer.dtype,
        }

    def _counted_before(self, buffer: str, value: float) -> float:
        """What an earlier backward pass of this iteration has counted of a loss that was not reset since."""
        iteration = self.recorder.iterations.index
        before = self.loss_values.get(buffer)
        self.loss_values[buffer] = (iteration, value)
        return before[1] if before is not None and before[0] == iteration else 0.0

    def _seeds(self, tape_id: int, loss: Any, grads: Any) -> list[dict[str, Any]]:
        """Manual seeds: what ``grads=`` names, and gradients of outputs the program wrote itself."""
        rec = self.recorder
        seeds: list[dict[str, Any]] = []
        given: list[tuple[Any, Any, str]] = [(a, g, "grads") for a, g in (grads or {}).items()]
        loss_buffer = rec.memory.of(loss) if loss is not None else None
        known = {b.key for b in (rec.memory.of(a) for a, _, _ in given) if b}
        written: set[str] = set()
        for bound in self.bound.get(tape_id, []):
            for touch, _ in bound.touches:
                if touch.writes:
                    written.add(touch.buffer)
        for bound in self.bound.get(tape_id, []):
            for touch, array in bound.touches:
                gradient = getattr(array, "grad", None)
                if gradient is None or touch.buffer in known or touch.buffer not in written:
                    continue
                if loss_buffer is not None and touch.buffer == loss_buffer.key:
                    continue
                buffer = rec.memory.of(gradient)
                if buffer is not None and buffer.key in self.user_written and not mem.is_zero(gradient):
                    known.add(touch.buffer)
                    given.append((array, gradient, "written"))
        for array, gradient, how in given:
            buffer = rec.memory.of(array)
            if buffer is not None:
                contents = mem.host_view(gradient)
                entry: dict[str, Any] = {"buffer": buffer.key, "how": how, "contents": rec.store("seed", contents)}
                entry["is_zero"] = not np.any(contents)
                held_by = rec.memory.of(gradient)
                entry["gradient_of"] = held_by.gradient_of if held_by is not None else None
                entry["dtype"] = buffer.dtype
                seeds.append(entry)
        return seeds

    def _leftover(self, tape_id: int, loss: Any, seeds: list[dict[str, Any]]) -> list[str]:
        """Arrays on the tape whose gradient is not zero although it is not a seed of this pass."""
        rec = self.recorder
        exempt = {s["buffer"] for s in seeds}
        if loss is not None and (buffer := rec.memory.of(loss)) is not None:
            exempt.add(buffer.key)
        nonzero: list[str] = []
        for bound in self.bound.get(tape_id, []):
            for touch, array in bound.touches:
                gradient = getattr(array, "grad", None)
                if gradient is None or touch.buffer in exempt:
                    continue
                exempt.add(touch.buffer)
                if not mem.is_zero(gradient):
                    nonzero.append(touch.buffer)
        return nonzero

    def end(self, begin: Event, tape: Any) -> None:
        """The backward pass has run."""
        self.user_written.clear()
        self.recorder.note("backward-end", "backward", {"ordinal": begin.info["ordinal"]}, begin.site)
        self.recorder.control.backward_ended(begin, tape)

    def find(self, tape: Any, inputs: Any) -> Bound | None:
        """The entry whose adjoint is being launched, known by its list of inputs."""
        bound = self._by_inputs.get(self.recorder.tape_id(tape), {}).get(id(inputs))
        return bound if bound is not None and bound.entry[3] is inputs else None

    def adjoint(self, bound: Bound, run: Callable[[], Any]) -> Any:
        """Run one adjoint, noting which of the contents it reads are not the recorded ones."""
        rec = self.recorder
        if self.skip is not None and self.skip(bound):
            return None
        # It takes no number of its own: with more or fewer entries on the tape the program's later operations keep
        # theirs, and what an intervention says of them holds.
        event = Event(rec.seq - 1, "adjoint", bound.event.name, bound.event.site, rec.iterations.index)
        event.info["of"] = bound.event.seq
        if rec.is_full:
            rec.events.append(event)
            changed = []
            after = bound.event.info.get("after", {})
            for index, (touch, array) in enumerate(bound.touches):
                now = rec.digest(array)
                if touch.digest is not None and now != touch.digest:
                    changed.append([index, now == after.get(touch.path, touch.digest)])
            if changed:
                event.info["changed"] = changed
        before = self._watched_outputs(bound) if rec.is_full else []
        nonfinite = self._nonfinite(bound) if rec.plan.find_nonfinite else None
        result = rec.control.run_adjoint(bound, run)
        for touch, array, contents in before:
            if mem.digest(array).hex() != contents:
                event.info.setdefault("forward_written", []).append(touch.path)
                rec.invalidate(array)
        if nonfinite is not None:
            self._note_nonfinite(bound, event, nonfinite)
        return result

    def _watched_outputs(self, bound: Bound) -> list[tuple[Touch, Any, str]]:
        """Arrays the kernel may write, with their digests: an adjoint must leave them alone."""
        return [(t, a, self.recorder.digest(a)) for t, a in bound.touches if t.writes and bound.event.kind == "launch"]

    def _nonfinite(self, bound: Bound) -> dict[int, Any]:
        """For every floating-point array of an operation which elements of its gradient are NaN or infinite."""
        gradients = [(i, getattr(a, "grad", None)) for i, (_, a) in enumerate(bound.touches) if mem.is_floating(a)]
        return {i: ~np.isfinite(mem.host_view(gradient)) for i, gradient in gradients if gradient is not None}

    def _note_nonfinite(self, bound: Bound, event: Event, before: dict[int, Any]) -> None:
        """An adjoint that produces a NaN or an infinity though it was given none, and in which argument and element."""
        if any(bad.any() for i, bad in before.items() if bound.touches[i][0].writes):
            return
        for index, bad in self._nonfinite(bound).items():
            fresh = bad & ~before.get(index, np.zeros_like(bad))
            if fresh.any():
                touch = bound.touches[index][0]
                element = [int(i) for i in np.argwhere(fresh)[0]]
                event.info.setdefault("nonfinite", []).append(
                    {"path": touch.path, "buffer": touch.buffer, "element": element, "count": int(fresh.sum())}
                )

    def _watched(self, entry: Callable[[], Any], bound: Bound) -> Callable[[], Any]:
        original = getattr(entry, "unwatched", entry)

        def run_adjoint() -> Any:
            if not self.recorder.backward_depth:
                return original()
            return self.adjoint(bound, original)

        run_adjoint.unwatched = original  # type: ignore[attr-defined]
        return run_adjoint


def active_tape() -> Any:
    """The tape that records at the moment, or None."""
    runtime = context.runtime
    return None if runtime is None else runtime.tape
