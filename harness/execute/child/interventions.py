"""Changes of behaviour at run time, by which a suspected cause is undone without editing the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...record import memory
from ...record.backward import Bound
from ...record.events import Event, Touch

Touches = list[tuple[Touch, Any]]


@dataclass
class Restore:
    """Before each adjoint, put back the contents its launch read; afterwards, put back what was there.

    ``targets`` are (event, index of the touch, "before" or "after"): which contents to keep while the program runs
    forward, and whether as they were before or after the launch.
    """

    targets: dict[int, dict[int, str]]
    kept: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    _displaced: list[tuple[Any, np.ndarray]] = field(default_factory=list)

    def before(self, event: Event, touches: Touches) -> None:
        """Keep what the launch is about to read."""
        self._keep(event, touches, "before")

    def after(self, event: Event, touches: Touches) -> None:
        """Keep what the launch left behind."""
        self._keep(event, touches, "after")

    def _keep(self, event: Event, touches: Touches, when: str) -> None:
        for index, moment in self.targets.get(event.seq, {}).items():
            if moment == when and index < len(touches):
                self.kept[(event.seq, index)] = memory.host_copy(touches[index][1])

    def before_adjoint(self, bound: Bound, recorder: Any) -> None:
        """Put the kept contents in place."""
        for index in self.targets.get(bound.event.seq, {}):
            contents = self.kept.get((bound.event.seq, index))
            if contents is None or index >= len(bound.touches):
                continue
            array = bound.touches[index][1]
            self._displaced.append((array, memory.host_copy(array)))
            memory.put(array, contents)
            recorder.invalidate(array)

    def after_adjoint(self, bound: Bound, recorder: Any) -> None:
        """Put back what the program itself would find there."""
        for array, contents in reversed(self._displaced):
            memory.put(array, contents)
            recorder.invalidate(array)
        self._displaced.clear()


def restore_from(interventions: list[dict[str, Any]]) -> Restore | None:
    """The restore intervention among a plan's, if there is one."""
    targets: dict[int, dict[int, str]] = {}
    for intervention in interventions:
        if intervention["name"] == "restore":
            for event, index, moment in intervention["targets"]:
                targets.setdefault(event, {})[index] = moment
    return Restore(targets) if targets else None
