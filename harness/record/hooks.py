"""Puts the recorder between the program and Warp: every entry point through which data moves is wrapped here.

Functions are replaced in every module of Warp that holds a reference to them, before the user's code is imported.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from . import access, memory
from .backward import TapeLog, active_tape
from .events import Touch
from .recorder import Recorder

context = wp._src.context
Touches = list[tuple[Touch, Any]]


def install(recorder: Recorder, log: TapeLog) -> None:
    """Wrap Warp's entry points for one recorder; meant to be called once per process."""
    hooks = _Hooks(recorder, log)
    hooks.arrays()
    hooks.launches()
    hooks.copies()
    hooks.tapes()
    hooks.natives()
    hooks.handles()
    recorder.reported.install()


def _scalars(kernel: Any, arguments: list[Any]) -> dict[str, float]:
    """Floating-point numbers passed by value, by argument name."""
    pairs = zip(kernel.adj.args, arguments)
    return {a.label: float(v) for a, v in pairs if isinstance(v, (float, np.floating, wp.float32, wp.float64))}


def replace_everywhere(original: Any, replacement: Any) -> None:
    """Replace a function in every loaded module of Warp that refers to it."""
    for name, module in list(sys.modules.items()):
        if name == "warp" or name.startswith("warp."):
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, replacement)


def named_arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name, without the cost of `inspect.Signature.bind` on every launch."""
    names = _parameter_names(function)
    return {**dict(zip(names, args)), **kwargs}


@functools.cache
def _parameter_names(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


class _Hooks:
    def __init__(self, recorder: Recorder, log: TapeLog) -> None:
        self.rec = recorder
        self.log = log
        self.handle_arrays: dict[int, list[tuple[str, Any]]] = {}

    # --- arrays -----------------------------------------------------------------------------------------------
    def arrays(self) -> None:
        rec, log, cls = self.rec, self.log, wp.array
        original_init, original_alloc, original_numpy = cls.__init__, cls._alloc_grad, cls.numpy

        def init(array: Any, *args: Any, **kwargs: Any) -> None:
            # What a constructor does to its own memory is no operation of the program.
            rec.depth += 1
            try:
                original_init(array, *args, **kwargs)
            finally:
                rec.depth -= 1
            rec.memory.register(array)
            buffer = array.__dict__.get("_recorded")
            if buffer is not None:
                rec.created_at.setdefault(buffer.key, rec.seq)
                if buffer.created < 0:
                    buffer.created = rec.seq
                    buffer.origin_data = bool(args) or kwargs.get("data") is not None
                if not rec.depth:
                    rec.control.array_created(array)

        def alloc_grad(array: Any) -> None:
            rec.memory.begin_gradient_of(array)
            rec.depth += 1
            try:
                original_alloc(array)
            finally:
                rec.depth -= 1
                rec.memory.end_gradient()
            rec.memory.link_gradient(array, array._grad)

        def numpy(array: Any, *args: Any, **kwargs: Any) -> np.ndarray:
            view: np.ndarray = original_numpy(array, *args, **kwargs)
            self.host_read(array, "numpy()", view)
            return view

        cls.__init__, cls._alloc_grad, cls.numpy = init, alloc_grad, numpy
        self._wrap_grad_property(cls)
        self._wrap_interface(cls, "__array_interface__", "numpy")
        self._wrap_fills(cls)
        for name in ("list", "__str__", "__repr__"):
            self._wrap_reader(cls, name)
        _ = log

    def _wrap_grad_property(self, cls: Any) -> None:
        rec, log, original = self.rec, self.log, cls.grad

        def set_grad(array: Any, gradient: Any) -> None:
            original.fset(array, gradient)
            if gradient is not None and getattr(array, "ptr", None):
                rec.memory.link_gradient(array, gradient)
                buffer = rec.memory.of(gradient)
                if buffer is not None and not memory.is_zero(gradient):
                    log.user_written.add(buffer.key)

        cls.grad = property(original.fget, set_grad, original.fdel, original.__doc__)

    def _wrap_interface(self, cls: Any, name: str, how: str) -> None:
        """``np.asarray(array)`` and the like: a view with no call of ours in between."""
        original = getattr(cls, name)
        if not isinstance(original, property) or original.fget is None:
            return
        getter = original.fget

        def interface(array: Any) -> Any:
            value = getter(array)
            if not self.rec.depth and self._called_by_user():
                self.host_read(array, how, None)
                self.expose(array)
            return value

        setattr(cls, name, property(interface, doc=original.__doc__))

    def _called_by_user(self) -> bool:
        frame = sys._getframe(2)
        return "warp" not in frame.f_globals.get("__name__", "").split(".")[0]

    def _wrap_reader(self, cls: Any, name: str) -> None:
        original = getattr(cls, name)

        def reader(array: Any) -> Any:
            if not self.rec.depth and getattr(array, "ptr", None):
                self.host_read(array, name, None)
            self.rec.depth += 1
            try:
                return original(array)
            finally:
                self.rec.depth -= 1

        setattr(cls, name, functools.wraps(original)(reader))

    def _wrap_fills(self, cls: Any) -> None:
        for name in ("zero_", "fill_"):
            original = getattr(cls, name)

            def fill(array: Any, *args: Any, _original: Any = original, _name: str = name, **kwargs: Any) -> Any:
                rec = self.rec
                touch = rec.touch(array, "array", False, True) if not rec.depth else None
                if rec.depth or rec.backward_depth or (touch is None and not rec.is_bare):
                    return _original(array, *args, **kwargs)
                zeroes = _name == "zero_" or (bool(args) and np.isscalar(args[0]) and args[0] == 0)
                touches: Touches = [(touch, array)] if touch else []
                self.log.note_gradient_write(touches, zeroes)
                info = {"zeroes": bool(zeroes), "inside_tape": rec.current_tape()}
                return rec.operation("fill", _name, touches, lambda: _original(array, *args, **kwargs), info)

            setattr(cls, name, functools.wraps(original)(fill))

    def host_read(self, array: Any, how: str, view: np.ndarray | None) -> None:
        """The program reads an array on the host."""
        rec = self.rec
        if rec.is_bare or rec.depth or rec.backward_depth or not getattr(array, "ptr", None):
            return
        buffer = rec.memory.of(array)
        if buffer is None:
            return
        if buffer.gradient_of:
            rec.gradient_read(array, how, view)
            return
        touch = rec.touch(array, "array", True, False)
        touches: Touches = [(touch, array)] if touch else []
        info: dict[str, Any] = {"inside_tape": rec.current_tape()}
        if array.size == 1 and memory.is_floating(array):
            flat = memory.host_view(array).reshape(-1)
            info["value"] = [float(v) for v in flat]
            rec.reported.note_array(buffer.key, info["value"][0])
        event = rec.begin("host-read", how, touches, info)
        rec.end(event, touches)
        if view is not None and array.device.is_cpu:
            self._expose_if_kept(buffer, event.site, array)

    def _expose_if_kept(self, buffer: Any, site: int, array: Any) -> None:
        # A zero-copy view can be written at any time from now on; the cost is a fresh digest at every later touch.
        if buffer.exposed_at is None:
            buffer.exposed_at = site
            region = memory.extent(array)
            buffer.digests[region] = memory.digest(array) if self.rec.is_full else b""

    def expose(self, array: Any) -> None:
        """A pointer or a view of the array left Warp's hands."""
        buffer = self.rec.memory.of(array)
        if buffer is not None:
            self._expose_if_kept(buffer, self.rec.sites.current(), array)

    # --- launches ---------------------------------------------------------------------------------------------
    def launches(self) -> None:
        rec, original = self.rec, context.launch
        rec.original_launch = original

        @functools.wraps(original)
        def launch(*args: Any, **kwargs: Any) -> Any:
            given = named_arguments(original, args, kwargs)
            if rec.depth:
                return original(*args, **kwargs)
            if given.get("adjoint"):
                return self.adjoint_launch(given, lambda: original(*args, **kwargs))
            if rec.backward_depth:
                return original(*args, **kwargs)
            if given.get("record_cmd"):
                command = original(*args, **kwargs)
                command._recorded_arguments = [*given.get("inputs", ()), *given.get("outputs", ())]
                command._recorded_given = given
                return command
            return self.forward_launch(given, original)

        replace_everywhere(original, launch)
        self._wrap_prebuilt()

    def forward_launch(self, given: dict[str, Any], original: Any) -> Any:
        """One launch of the program."""
        rec = self.rec
        kernel = given["kernel"]
        if rec.is_bare and rec.deferred is None:
            return rec.run_bare("launch", str(kernel.key), given["dim"], lambda: original(**given))
        arguments = [*given.get("inputs", ()), *given.get("outputs", ())]
        touches = self.touches_of(kernel, arguments)
        if not given.get("record_tape", True):
            info: dict[str, Any] = {"dim": str(given["dim"]), "record_tape": False}
            return self._run_launch("untaped-launch", kernel, touches, lambda: original(**given), info)
        self.rec.note_kernel(kernel)
        info = {"dim": str(given["dim"]), "scalars": _scalars(kernel, arguments)}
        if rec.deferred is not None:
            return self._defer_launch(given, original, touches, info)
        rec.control.launch_arguments = given
        return self._run_launch("launch", kernel, touches, lambda: original(**given), info)

    def _run_launch(
        self, kind: str, kernel: Any, touches: Touches, run: Callable[[], Any], info: dict[str, Any]
    ) -> Any:
        self.log.note_gradient_write(touches, zeroes=False)
        return self.rec.operation(kind, str(kernel.key), touches, run, info)

    def _defer_launch(self, given: dict[str, Any], original: Any, touches: Touches, info: dict[str, Any]) -> None:
        """Inside a capture: record on the tape now, run (and note) at every launch of the graph."""
        rec, tape = self.rec, active_tape()
        holder: dict[str, Any] = {}
        if tape is not None:
            position = len(tape.launches)
            inputs, outputs = list(given.get("inputs", ())), list(given.get("outputs", ()))
            device = given.get("device")
            tape.record_launch(
                given["kernel"], given["dim"], given.get("max_blocks", 0), inputs, outputs, device,
                given.get("block_dim") or 256,
            )  # fmt: skip
            holder.update(tape=tape, position=position)
        untaped = {**given, "record_tape": False}

        def run_once() -> None:
            rec.control.launch_arguments = given
            fresh = self.touches_of(given["kernel"], [*given.get("inputs", ()), *given.get("outputs", ())])
            if not holder:
                self._run_launch("launch", given["kernel"], fresh, lambda: original(**untaped), dict(info))
                return
            self.replay_taped(holder, "launch", str(given["kernel"].key), fresh, lambda: original(**untaped), info)

        assert rec.deferred is not None
        rec.deferred.append(run_once)

    def replay_taped(
        self, holder: dict[str, Any], kind: str, name: str, touches: Touches, run: Callable[[], Any], info: Any
    ) -> None:
        """Run an operation that a capture recorded on a tape: an ordinary taped operation, but for the recording."""
        rec = self.rec
        if rec.is_bare:
            rec.run_bare(kind, name, info.get("dim"), run)
            return
        runtime = context.runtime
        runtime.tape = holder["tape"]
        try:
            event = rec.begin(kind, name, touches, dict(info))
        finally:
            runtime.tape = None
        rec.depth += 1
        try:
            run()
        finally:
            rec.depth -= 1
        self.log.bind_one(holder["tape"], holder["position"], event, touches)
        rec.end(event, touches)

    def touches_of(self, kernel: Any, arguments: list[Any]) -> Touches:
        """Every array that the arguments of a launch hold: arrays, struct members, indexed arrays, handles."""
        if self.rec.is_bare and self.rec.deferred is None:
            return []
        table = access.kernel_access(kernel)
        touches: Touches = []
        for declared, value in zip(kernel.adj.args, arguments):
            for path, array in self.arrays_in(declared.label, value):
                used = access.access_of(table, path)
                touch = self.rec.touch(array, path, used.reads, used.writes, used.accumulates and not used.reads)
                if touch is not None:
                    touch.write_line = used.first_write_line
                    touches.append((touch, array))
        return touches

    def arrays_in(self, path: str, value: Any) -> list[tuple[str, Any]]:
        """Arrays inside one argument, with their paths."""
        if isinstance(value, wp.array):
            return [(path, value)]
        if isinstance(value, wp.indexedarray):
            data = getattr(value, "data", None)
            return [(path, data)] if isinstance(data, wp.array) else []
        cls = getattr(value, "_cls", None)
        if cls is not None and hasattr(cls, "vars"):
            found = []
            for name in cls.vars:
                found += self.arrays_in(f"{path}.{name}", getattr(value, name, None))
            return found
        if isinstance(value, int) or hasattr(value, "value"):
            raw = value if isinstance(value, int) else value.value
            handle = self.handle_arrays.get(raw) if isinstance(raw, int) else None
            return [(f"{path}->{name}", array) for name, array in handle or []]
        return []

    def _wrap_prebuilt(self) -> None:
        rec, cls = self.rec, context.Launch
        original = cls.launch

        def launch(command: Any, *args: Any, **kwargs: Any) -> Any:
            arguments = getattr(command, "_recorded_arguments", None)
            if rec.depth or rec.backward_depth or arguments is None or getattr(command, "adjoint", False):
                return original(command, *args, **kwargs)
            touches = self.touches_of(command.kernel, arguments)
            rec.note_kernel(command.kernel)
            info = {"inside_tape": rec.current_tape()}
            count = len(command._recorded_given.get("inputs", ()))
            rec.control.launch_arguments = {
                **command._recorded_given, "inputs": arguments[:count], "outputs": arguments[count:],
            }  # fmt: skip
            return self._run_launch(
                "prebuilt-launch", command.kernel, touches, lambda: original(command, *args, **kwargs), info
            )

        cls.launch = functools.wraps(original)(launch)
        for name in ("set_param_at_index", "set_param_by_name", "set_params"):
            self._wrap_parameter_setter(cls, name)

    def _wrap_parameter_setter(self, cls: Any, name: str) -> None:
        original = getattr(cls, name)

        def setter(command: Any, *args: Any, **kwargs: Any) -> Any:
            arguments = getattr(command, "_recorded_arguments", None)
            if arguments is not None and args:
                if name == "set_params":
                    arguments[:] = list(args[0])
                elif name == "set_param_at_index" and len(args) > 1 and args[0] < len(arguments):
                    arguments[args[0]] = args[1]
                elif name == "set_param_by_name" and len(args) > 1:
                    labels = [a.label for a in command.kernel.adj.args]
                    if args[0] in labels:
                        arguments[labels.index(args[0])] = args[1]
            return original(command, *args, **kwargs)

        setattr(cls, name, functools.wraps(original)(setter))

    def adjoint_launch(self, given: dict[str, Any], run: Callable[[], Any]) -> Any:
        """An adjoint launch: by `Tape.backward`, or by the program itself."""
        rec = self.rec
        tape = rec.control.running_tape
        bound = self.log.find(tape, given.get("inputs")) if tape is not None else None
        if bound is not None:
            return self.log.adjoint(bound, run)
        if not rec.backward_depth:
            rec.note("adjoint", str(given["kernel"].key), {"of": None, "by_program": True})
            self._note_adjoint_outputs(given)
        return run()

    def _note_adjoint_outputs(self, given: dict[str, Any]) -> None:
        """What an adjoint launch of the program's own writes can seed the next backward pass."""
        for value, gradient in zip(given.get("inputs", ()), given.get("adj_inputs", ())):
            written = gradient if gradient is not None else getattr(value, "grad", None)
            buffer = self.rec.memory.of(written) if isinstance(written, wp.array) and written.ptr else None
            if buffer is not None and buffer.gradient_of:
                buffer.invalidate()
                self.log.user_written.add(buffer.key)

    # --- copies -----------------------------------------------------------------------------------------------
    def copies(self) -> None:
        rec, original = self.rec, context.copy

        @functools.wraps(original)
        def copy(*args: Any, **kwargs: Any) -> Any:
            if rec.depth or rec.backward_depth:
                return original(*args, **kwargs)
            given = named_arguments(original, args, kwargs)
            touches: Touches = []
            for path, reads, writes in (("src", True, False), ("dest", False, True)):
                array = given.get(path)
                array = getattr(array, "data", array) if isinstance(array, wp.indexedarray) else array
                touch = rec.touch(array, path, reads, writes) if isinstance(array, wp.array) else None
                if touch is not None:
                    touches.append((touch, array))
            self.log.note_gradient_write(touches, zeroes=False)
            info = {"inside_tape": rec.current_tape()}
            if rec.deferred is not None:
                return self._defer_copy(lambda: original(*args, **kwargs), touches, info)
            return rec.operation("copy", "copy", touches, lambda: original(*args, **kwargs), info)

        replace_everywhere(original, copy)

    def _defer_copy(self, run: Callable[[], Any], touches: Touches, info: dict[str, Any]) -> None:
        """Inside a capture: let Warp record the copy on the tape now, but leave the contents as they are."""
        rec, tape = self.rec, active_tape()
        position = len(tape.launches) if tape is not None else 0
        if tape is not None:
            kept = [(a, memory.host_copy(a)) for t, a in touches if t.writes]
            rec.depth += 1
            try:
                run()
            finally:
                rec.depth -= 1
            for array, contents in kept:
                memory.put(array, contents)
        taped = tape is not None and len(tape.launches) > position
        holder = {"tape": tape, "position": position}

        def run_copy() -> None:
            saved, context.runtime.tape = context.runtime.tape, None
            try:
                run()
            finally:
                context.runtime.tape = saved

        def run_once() -> None:
            if taped:
                self.replay_taped(holder, "copy", "copy", touches, run_copy, info)
            else:
                rec.operation("copy", "copy", touches, run_copy, dict(info))

        assert rec.deferred is not None
        rec.deferred.append(run_once)

    # --- tapes ------------------------------------------------------------------------------------------------
    def tapes(self) -> None:
        rec, log, cls = self.rec, self.log, wp.Tape
        enter, leave, backward, zero, reset = cls.__enter__, cls.__exit__, cls.backward, cls.zero, cls.reset
        record_func = cls.record_func

        def tape_enter(tape: Any) -> Any:
            if not tape.launches:
                rec.renew_tape(tape)
            result = enter(tape)
            rec.note("tape-enter", "tape", {"tape": rec.tape_id(tape), "entries": len(tape.launches)})
            rec.control.tape_entered(tape)
            return result

        def tape_exit(tape: Any, *args: Any) -> Any:
            result = leave(tape, *args)
            rec.note("tape-exit", "tape", {"tape": rec.tape_id(tape), "entries": len(tape.launches)})
            return result

        def tape_backward(tape: Any, loss: Any = None, grads: Any = None) -> Any:
            if rec.deferred is not None:
                launches = list(tape.launches)
                rec.deferred.append(lambda: run_backward(tape, loss, grads, launches))
                return None
            return run_backward(tape, loss, grads, None)

        def run_backward(tape: Any, loss: Any, grads: Any, launches: list[Any] | None) -> Any:
            if rec.backward_depth:
                return backward(tape, loss, grads)
            rec.control.running_grads = grads or {}
            begin = log.begin(tape, loss, grads)
            rec.backward_depth += 1
            rec.control.running_tape = tape
            current = tape.launches
            if launches is not None:
                tape.launches = launches
            try:
                return backward(tape, loss, grads)
            finally:
                tape.launches = current
                rec.control.running_tape = None
                rec.backward_depth -= 1
                log.end(begin, tape)

        def tape_zero(tape: Any) -> Any:
            if rec.deferred is not None:
                rec.deferred.append(lambda: tape_zero(tape))
                return None
            if not rec.depth:
                info = {"tape": rec.tape_id(tape), "gradients": len(tape.gradients)}
                rec.note("tape-zero", "zero", info)
            rec.depth += 1
            try:
                return zero(tape)
            finally:
                rec.depth -= 1

        def tape_reset(tape: Any) -> Any:
            rec.note("tape-reset", "reset", {"tape": rec.tape_id(tape), "entries": len(tape.launches)})
            log.reset(tape)
            return reset(tape)

        def tape_record_func(tape: Any, backward: Any = None, arrays: Any = (), **kwargs: Any) -> Any:
            if rec.depth or rec.backward_depth or rec.deferred is not None:
                return record_func(tape, backward, arrays, **kwargs)
            pairs = [(rec.touch(a, f"arrays[{i}]", True, True), a) for i, a in enumerate(arrays)]
            touches: Touches = [(t, a) for t, a in pairs if t is not None]
            name = getattr(backward, "__name__", "function")
            position = len(tape.launches)
            event = rec.begin("func", name, touches)
            event.tape = rec.tape_id(tape)
            result = record_func(tape, backward, arrays, **kwargs)
            log.bind(tape, position, event, touches)
            rec.end(event, touches)
            return result

        cls.__enter__, cls.__exit__, cls.backward = tape_enter, tape_exit, tape_backward
        cls.zero, cls.reset, cls.record_func = tape_zero, tape_reset, tape_record_func

    # --- utilities without a kernel, handles --------------------------------------------------------------------
    def natives(self) -> None:
        """Warp utilities that compute natively and are never recorded on a tape."""
        for name in ("array_sum", "array_inner", "array_scan"):
            original = getattr(wp._src.utils, name, None)
            if original is not None:
                replace_everywhere(original, self._native(name, original))

    def _native(self, name: str, original: Any) -> Any:
        rec = self.rec
        outputs = ("out", "out_array")

        @functools.wraps(original)
        def native(*args: Any, **kwargs: Any) -> Any:
            if rec.depth or rec.backward_depth:
                return original(*args, **kwargs)
            given = named_arguments(original, args, kwargs)
            touches: Touches = []
            for path, value in given.items():
                if isinstance(value, wp.array):
                    touch = rec.touch(value, path, path not in outputs, path in outputs)
                    if touch is not None:
                        touches.append((touch, value))
            info: dict[str, Any] = {"inside_tape": rec.current_tape()}
            result = rec.operation("native", name, touches, lambda: original(*args, **kwargs), info)
            if isinstance(result, float):
                info["value"] = [result]
            return result

        return native

    def handles(self) -> None:
        """Objects that kernels receive as an integer id: which arrays stand behind the id."""
        for name in ("Mesh", "HashGrid", "Volume", "Bvh"):
            cls = getattr(wp, name, None)
            if cls is None or "__init__" not in vars(cls):
                continue
            original = cls.__init__

            def init(handle: Any, *args: Any, _original: Any = original, **kwargs: Any) -> None:
                self.rec.depth += 1
                try:
                    _original(handle, *args, **kwargs)
                finally:
                    self.rec.depth -= 1
                members = [(k.lstrip("_"), v) for k, v in vars(handle).items() if isinstance(v, wp.array)]
                identity = getattr(handle, "id", None)
                raw = getattr(identity, "value", identity)
                if isinstance(raw, int):
                    self.handle_arrays[raw] = members

            cls.__init__ = functools.wraps(original)(init)
