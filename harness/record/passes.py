"""Watches backward passes and nothing else: the program runs as it does by itself, at its own speed, to its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from . import memory
from .recorder import Recorder


def install(recorder: Recorder) -> None:
    """Note every backward pass of a tape with the value of its loss."""
    cls: Any = wp.Tape
    backward = cls.backward

    def noted(tape: Any, *args: Any, **kwargs: Any) -> Any:
        loss = args[0] if args else kwargs.get("loss")
        if not recorder.backward_depth:
            info = {"ordinal": recorder.backward_count, "value": _value(loss)}
            recorder.note("backward-begin", "backward", info, site=0)
            recorder.backward_count += 1
        recorder.backward_depth += 1
        try:
            return backward(tape, *args, **kwargs)
        finally:
            recorder.backward_depth -= 1

    cls.backward = noted


def _value(loss: Any) -> float | None:
    """The loss as backward finds it; None without one, and inside a graph capture, where nothing may be read."""
    if loss is None or getattr(loss.device, "is_capturing", False):
        return None
    return float(np.asarray(memory.host_view(loss)).reshape(-1)[0])
