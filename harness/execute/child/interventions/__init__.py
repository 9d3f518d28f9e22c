"""Changes of behaviour at run time, by which a suspected cause is undone without editing the program.

A plan names interventions as dictionaries: ``{"name": "restore", ...}``. `from_plan` makes them.
"""

from __future__ import annotations

from typing import Any

from .base import Intervention
from .compiler import CompilerOptions, DropCustomGradients
from .copies import AccumulateCopies
from .freeze import Freeze, FreezeScalars
from .gradients import (
    ConsumeGradients,
    DropRetainedGradients,
    NewestLaunches,
    OneBackwardPerLoss,
    ReadAfterBackward,
    Reseed,
    ZeroFirst,
)
from .measured import MeasuredAdjoint
from .numeric import NumericAdjoint
from .recording import GiveGradients, RecordFills, RecordLaunches
from .repeat import RepeatBlock
from .restore import Restore

_KNOWN: dict[str, type[Intervention]] = {
    "restore": Restore,
    "repeat-block": RepeatBlock,
    "freeze": Freeze,
    "freeze-scalars": FreezeScalars,
    "give-gradients": GiveGradients,
    "record-fills": RecordFills,
    "record-launches": RecordLaunches,
    "zero-first": ZeroFirst,
    "drop-retained": DropRetainedGradients,
    "newest-launches": NewestLaunches,
    "one-backward-per-loss": OneBackwardPerLoss,
    "read-after-backward": ReadAfterBackward,
    "reseed": Reseed,
    "accumulate-copies": AccumulateCopies,
    "numeric-adjoint": NumericAdjoint,
    "measured-adjoint": MeasuredAdjoint,
    "consume-gradients": ConsumeGradients,
    "compiler-options": CompilerOptions,
    "drop-custom-gradients": DropCustomGradients,
}


def from_plan(interventions: list[dict[str, Any]]) -> list[Intervention]:
    """The interventions of a plan, outermost first: measured adjoints reach whatever runs in an adjoint's place."""
    made = []
    for settings in interventions:
        options = {key: value for key, value in settings.items() if key not in ("name", "from_iteration")}
        intervention = _KNOWN[settings["name"]](**options)
        intervention.from_iteration = settings.get("from_iteration", 0)
        made.append(intervention)
    return sorted(made, key=lambda i: not isinstance(i, MeasuredAdjoint))


__all__ = ["Intervention", "from_plan"]
