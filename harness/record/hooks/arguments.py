"""Which arrays stand behind the arguments of a launch."""

from __future__ import annotations

import functools
from typing import Any

import warp as wp

from .. import access
from ..events import Touches
from ..recorder import Recorder


class Arguments:
    """Finds the arrays in arguments, handles included: objects that kernels receive as an integer id."""

    def __init__(self, recorder: Recorder) -> None:
        self.rec = recorder
        self.handle_arrays: dict[int, list[tuple[str, Any]]] = {}

    def install(self) -> None:
        """Note which arrays each handle is made of."""
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

    def touches(self, kernel: Any, arguments: list[Any]) -> Touches:
        """Every array that the arguments of a launch hold: arrays, struct members, indexed arrays, handles."""
        if self.rec.is_bare and self.rec.deferred is None:
            return []
        table = access.kernel_access(kernel)
        touches: Touches = []
        for declared, value in zip(kernel.adj.args, arguments, strict=False):
            for path, array in self._arrays_in(declared.label, value):
                used = access.access_of(table, path)
                touch = self.rec.touch(array, path, used.reads, used.writes, used.accumulates and not used.reads)
                if touch is not None:
                    touch.write_line = used.first_write_line
                    touches.append((touch, array))
        return touches

    def _arrays_in(self, path: str, value: Any) -> list[tuple[str, Any]]:
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
                found += self._arrays_in(f"{path}.{name}", getattr(value, name, None))
            return found
        if isinstance(value, int) or hasattr(value, "value"):
            raw = value if isinstance(value, int) else value.value
            handle = self.handle_arrays.get(raw) if isinstance(raw, int) else None
            return [(f"{path}->{name}", array) for name, array in handle or []]
        return []
