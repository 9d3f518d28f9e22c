"""Graph capture, run op by op.

Work inside a capture is not executed while it is captured; every launch of the graph executes it, with no Python call
at all (WARP_FACTS, "Graph capture"). Here nothing is captured: what the program issues inside a capture is kept, and
run as ordinary, recorded operations at every `capture_launch`, on CPU and CUDA alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp

from .hooks import replace_everywhere
from .internals import context
from .recorder import Recorder


class DeferredGraph:
    """Stands in for ``wp.Graph``: the operations issued between `capture_begin` and `capture_end`."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.operations: list[Callable[[], Any]] = []
        self.graph = self
        self.graph_exec = self
        self.apic = False


def install(recorder: Recorder) -> None:
    """Replace Warp's capture functions, where this version has them."""

    def capture_begin(device: Any = None, stream: Any = None, *args: Any, **kwargs: Any) -> None:
        if recorder.deferred is not None:
            raise RuntimeError("Graph capture already in progress on this stream")
        recorder.note("capture", "begin")
        recorder.deferred = []
        recorder.capture_device = device if stream is None else stream.device

    def capture_end(device: Any = None, stream: Any = None) -> DeferredGraph:
        if recorder.deferred is None:
            raise RuntimeError("Graph capture is not active on this stream")
        graph = DeferredGraph(wp.get_device(recorder.capture_device))
        graph.operations = recorder.deferred
        recorder.deferred = None
        recorder.note("capture", "end", {"operations": len(graph.operations)})
        return graph

    def capture_launch(graph: Any, stream: Any = None) -> None:
        if not isinstance(graph, DeferredGraph):
            recorder.note("capture", "opaque-launch")
            original_launch(graph, stream)
            return
        if recorder.deferred is not None:
            recorder.deferred.append(lambda: capture_launch(graph))
            return
        recorder.note("capture", "launch", {"operations": len(graph.operations)})
        for operation in graph.operations:
            operation()

    original_launch: Any = getattr(context, "capture_launch", None)
    for name, replacement in (
        ("capture_begin", capture_begin),
        ("capture_end", capture_end),
        ("capture_launch", capture_launch),
    ):
        original = getattr(context, name, None)
        if original is not None:
            replace_everywhere(original, replacement)
    for name in ("capture_if", "capture_while"):
        original = getattr(context, name, None)
        if original is not None:
            replace_everywhere(original, _deferring(recorder, original))


def _deferring(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    """Conditional nodes: outside of a real capture Warp runs them as plain Python, which is what is wanted."""

    def conditional(*args: Any, **kwargs: Any) -> Any:
        if recorder.deferred is None:
            return original(*args, **kwargs)
        recorder.deferred.append(lambda: original(*args, **kwargs))
        return None

    return conditional
