"""Hand-overs to other frameworks: memory that torch, JAX or Paddle can read and write from now on, unseen."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import warp as wp

from . import memory
from .hooks import replace_everywhere
from .recorder import Recorder

EXPORTS = ("to_torch", "to_jax", "to_paddle", "to_dlpack")


def install(recorder: Recorder) -> None:
    """Wrap the exports of this version of Warp."""
    for name in EXPORTS:
        original = getattr(wp, name, None)
        if original is not None:
            replace_everywhere(original, _watched(recorder, name, original))


def _watched(recorder: Recorder, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def export(array: Any, *args: Any, **kwargs: Any) -> Any:
        note_export(recorder, name, array)
        return original(array, *args, **kwargs)

    return export


def note_export(recorder: Recorder, name: str, array: Any) -> None:
    """A gradient that is exported is consumed; anything else may be written without an operation of Warp."""
    if recorder.is_bare or recorder.depth or recorder.backward_depth or not isinstance(array, wp.array):
        return
    buffer = recorder.memory.of(array)
    if buffer is None:
        return
    if buffer.gradient_of:
        recorder.gradient_read(array, f"{name}()", None)
    elif buffer.exposed_at is None:
        buffer.exposed_at = recorder.sites.current()
        if recorder.is_full:
            buffer.digests[memory.extent(array)] = memory.digest(array)
