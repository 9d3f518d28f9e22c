"""The replay oracle: backward on the contents each launch had, against the gradient the program consumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..execute.session import ExecutionFailed, Session
from ..record.events import Recording
from ..record.plan import Plan
from ..trace.consumption import Consumption, Consumptions

CLEAN_BELOW = 1e-5
"""Backward repeats itself bit for bit on the CPU; atomic sums in another order stay below this."""

Target = tuple[int, int, Literal["before", "after"]]
"""(event, index of the touch, which of its contents the adjoint needs)."""


@dataclass(frozen=True)
class Replay:
    """`difference_rel` is |replayed - consumed| / |consumed|; 0 with no run where nothing had changed."""

    is_clean: bool
    difference_rel: float | None
    targets: tuple[Target, ...] = ()
    gradient: np.ndarray | None = None
    """Gradient on the recorded contents, where it was computed."""


def changed_contents(recording: Recording, iteration: int | None = None) -> list[Target]:
    """Arrays whose contents at their adjoint are neither those the launch found nor those it left."""
    targets: dict[tuple[int, int], Target] = {}
    for adjoint in recording.events:
        if adjoint.kind != "adjoint" or (iteration is not None and adjoint.iteration != iteration):
            continue
        for index, is_own in adjoint.info.get("changed", ()):
            if is_own:
                continue
            launch = recording.event(adjoint.info["of"])
            touch = launch.touches[index]
            left = launch.info.get("after", {}).get(touch.path)
            is_written = left is not None and left != touch.digest
            targets[(launch.seq, index)] = (launch.seq, index, "after" if is_written else "before")
    return list(targets.values())


def restoring(targets: list[Target]) -> list[dict[str, Any]]:
    """The intervention that puts contents back before each adjoint, for a plan."""
    return [{"name": "restore", "targets": [list(t) for t in targets]}] if targets else []


def replay(session: Session, recording: Recording, consumption: Consumption) -> Replay:
    """Run backward on the recorded contents and compare with the consumed gradient."""
    targets = changed_contents(recording, consumption.iteration)
    if not targets:
        return Replay(True, 0.0)
    try:
        again = session.record(Plan(iterations=consumption.iteration + 1, interventions=restoring(targets)))
    except ExecutionFailed:
        return Replay(False, None, tuple(targets))
    gradient = consumed_gradient(again, consumption)
    if gradient is None:
        return Replay(False, None, tuple(targets))
    size = float(np.linalg.norm(consumption.gradient))
    difference = float(np.linalg.norm(gradient - consumption.gradient))
    relative = difference / size if size > 0.0 else (0.0 if difference == 0.0 else float("inf"))
    return Replay(bool(relative < CLEAN_BELOW), relative, tuple(targets), gradient)


def consumed_gradient(recording: Recording, like: Consumption) -> np.ndarray | None:
    """The gradient that another run consumed of the same parameter in the same iteration."""
    for trace in Consumptions(recording).parameters():
        for consumption in trace.consumptions:
            if consumption.buffer == like.buffer and consumption.iteration == like.iteration:
                return consumption.gradient if consumption.gradient.shape == like.gradient.shape else None
    return None
