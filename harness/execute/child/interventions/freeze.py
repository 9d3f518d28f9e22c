"""Hold an array at its recorded contents, whatever the perturbed parameter would make of it."""

from __future__ import annotations

import os

import numpy as np

from ....record import memory
from ....record.events import Event, Touches
from .base import Intervention


class Freeze(Intervention):
    """Just before an operation runs, give arrays it touches the contents of the unperturbed run.

    Differences then measure the objective without the path through those arrays: if that is what autodiff says, the
    path is what it misses. ``targets`` are (event, index of the touch); contents are kept in ``folder``, written by a
    run with ``keep`` and read by all others.
    """

    def __init__(self, targets: list[tuple[int, int]], folder: str, keep: bool = False) -> None:
        self._targets: dict[int, list[int]] = {}
        for event, index in targets:
            self._targets.setdefault(event, []).append(index)
        self._folder = folder
        self._keep = keep

    def before(self, event: Event, touches: Touches) -> None:
        """Keep, or hold."""
        for index in self._targets.get(event.seq, ()):
            if index >= len(touches):
                continue
            file = os.path.join(self._folder, f"{event.seq}-{index}.npy")
            array = touches[index][1]
            if self._keep:
                os.makedirs(self._folder, exist_ok=True)
                np.save(file, memory.host_view(array))
            elif os.path.exists(file):
                memory.put(array, np.load(file))
                self.recorder.invalidate(array)


class FreezeScalars(Intervention):
    """Give numbers passed to launches by value those of the unperturbed run.

    ``targets`` are (event, name of the argument, value).
    """

    def __init__(self, targets: list[tuple[int, str, float]]) -> None:
        self._targets: dict[int, dict[str, float]] = {}
        for event, name, value in targets:
            self._targets.setdefault(event, {})[name] = value

    def before(self, event: Event, touches: Touches) -> None:
        """Change the arguments of the launch that is about to run."""
        values = self._targets.get(event.seq)
        if not values:
            return
        given = self.recorder.control.launch_arguments
        labels = [a.label for a in given["kernel"].adj.args]
        inputs = list(given.get("inputs", ()))
        for name, value in values.items():
            if name in labels and labels.index(name) < len(inputs):
                inputs[labels.index(name)] = value
        given["inputs"] = inputs
