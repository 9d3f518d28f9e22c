"""Arrays: where they come from, and every way in which the host reads or fills them."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np
import warp as wp

from .. import memory
from ..backward import TapeLog
from ..events import Touches
from ..recorder import Recorder


class ArrayHooks:
    """Wraps ``wp.array``."""

    def __init__(self, recorder: Recorder, log: TapeLog) -> None:
        self.rec = recorder
        self.log = log

    def install(self) -> None:
        """Wrap construction, gradients, fills and reads on the host."""
        cls = wp.array
        self._wrap_construction(cls)
        self._wrap_numpy(cls)
        self._wrap_grad_property(cls)
        self._wrap_interface(cls, "__array_interface__", "numpy")
        self._wrap_fills(cls)
        for name in ("list", "__str__", "__repr__"):
            self._wrap_reader(cls, name)

    def _wrap_construction(self, cls: Any) -> None:
        rec = self.rec
        original_init, original_alloc = cls.__init__, cls._alloc_grad

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

        cls.__init__, cls._alloc_grad = init, alloc_grad

    def _wrap_numpy(self, cls: Any) -> None:
        original = cls.numpy

        def numpy(array: Any, *args: Any, **kwargs: Any) -> np.ndarray:
            view: np.ndarray = original(array, *args, **kwargs)
            self.host_read(array, "numpy()", view)
            return view

        cls.numpy = numpy

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
