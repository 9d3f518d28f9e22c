"""Utilities of Warp that compute natively and are never recorded on a tape."""

from __future__ import annotations

import functools
from typing import Any

import warp as wp

from ..events import Touches
from ..internals import utilities
from ..recorder import Recorder
from .entry_points import named_arguments, replace_everywhere


class NativeHooks:
    """Wraps the reductions and scans."""

    def __init__(self, recorder: Recorder) -> None:
        self.rec = recorder

    def install(self) -> None:
        """Wrap those that this version of Warp has."""
        for name in ("array_sum", "array_inner", "array_scan"):
            original = getattr(utilities, name, None)
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
