"""The events of a recording and the file that holds them.

A recording is a folder or a zip with ``recording.json`` and ``arrays.npz``. Events are plain data: the other side of
the process boundary reads them without importing Warp.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FORMAT_VERSION = 1


@dataclass
class Touch:
    """One array that an operation touches."""

    buffer: str
    path: str
    """How the operation names it: ``field``, ``mat.damping``, ``src``."""
    reads: bool
    writes: bool
    accumulates: bool = False
    digest: str | None = None
    """Digest of the contents before the operation; None where none was taken."""
    has_gradient: bool = False
    offset: int = 0
    nbytes: int = 0
    write_line: int | None = None
    """Line of the kernel's source of the first store, for a launch."""


Touches = list[tuple[Touch, Any]]
"""What an operation touches, each with its ``wp.array`` while the program runs."""


@dataclass
class Event:
    """One thing the program did. ``kind`` is one of:

    ``launch``, ``prebuilt-launch``, ``copy``, ``fill``, ``native`` (a Warp utility with no kernel), ``func`` (a
    function recorded on the tape), ``host-read``, ``host-write`` (contents changed with no operation seen),
    ``gradient-read`` (a consumption), ``tape-enter``, ``tape-exit``, ``tape-zero``, ``tape-reset``,
    ``backward-begin``, ``adjoint``, ``backward-end``, ``capture``, ``warning``.
    """

    seq: int
    kind: str
    name: str
    site: int
    iteration: int
    touches: list[Touch] = field(default_factory=list)
    tape: int | None = None
    """Tape the operation was recorded on; None if it was not recorded."""
    info: dict[str, Any] = field(default_factory=dict)


@dataclass
class Recording:
    """Everything one execution produced, as it is written to the file."""

    format_version: int
    environment: dict[str, Any]
    sites: list[list[list[Any]]]
    events: list[Event]
    buffers: dict[str, dict[str, Any]]
    outcome: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def event(self, seq: int) -> Event:
        """The operation of a number; an adjoint that runs under the same number comes after it."""
        return self.events[bisect_left(self.events, seq, key=lambda e: e.seq)]

    def save(self, folder: str) -> None:
        """Write ``recording.json`` and ``arrays.npz`` into a folder."""
        os.makedirs(folder, exist_ok=True)
        body = {
            "format_version": self.format_version,
            "environment": self.environment,
            "sites": self.sites,
            "events": [_event_to_json(e) for e in self.events],
            "buffers": self.buffers,
            "outcome": self.outcome,
            "array_keys": list(self.arrays),
        }
        arrays: dict[str, Any] = {f"a{i}": a for i, a in enumerate(self.arrays.values())}
        np.savez(os.path.join(folder, "arrays.npz"), **arrays)
        with open(os.path.join(folder, "recording.json"), "w", encoding="utf-8") as stream:
            json.dump(body, stream)


def _event_to_json(event: Event) -> list[Any]:
    touches = [[getattr(t, name) for name in _TOUCH_FIELDS] for t in event.touches]
    return [event.seq, event.kind, event.name, event.site, event.iteration, touches, event.tape, event.info]


_TOUCH_FIELDS = tuple(Touch.__dataclass_fields__)


def load(folder: str) -> Recording:
    """Read a recording from its folder.

    Raises:
        ValueError: the file was written in a format this version does not read.
    """
    with open(os.path.join(folder, "recording.json"), encoding="utf-8") as stream:
        body = json.load(stream)
    if body["format_version"] != FORMAT_VERSION:
        raise ValueError(
            f"The recording has format {body['format_version']}, this version reads {FORMAT_VERSION}. Record it again."
        )
    events = [
        Event(seq, kind, name, site, iteration, [Touch(*t) for t in touches], tape, info)
        for seq, kind, name, site, iteration, touches, tape, info in body["events"]
    ]
    with np.load(os.path.join(folder, "arrays.npz"), allow_pickle=False) as stored:
        arrays = {key: stored[f"a{i}"] for i, key in enumerate(body["array_keys"])}
    return Recording(
        body["format_version"], body["environment"], body["sites"], events, body["buffers"], body["outcome"], arrays
    )


def buffer_to_json(buffer: Any) -> dict[str, Any]:
    """The fields of a `harness.record.memory.Buffer` that matter outside the process."""
    return {
        "site": buffer.site,
        "shape": list(buffer.shape),
        "dtype": buffer.dtype,
        "nbytes": buffer.nbytes,
        "requires_grad": buffer.requires_grad,
        "retain_grad": buffer.retain_grad,
        "gradient_of": buffer.gradient_of,
        "origin": buffer.origin,
        "origin_data": buffer.origin_data,
        "created": buffer.created,
        "exposed_at": buffer.exposed_at,
    }


__all__ = ["FORMAT_VERSION", "Event", "Recording", "Touch", "buffer_to_json", "load"]
