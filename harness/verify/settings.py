"""What a verification is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..options import Options


@dataclass(frozen=True)
class VerifySettings:
    """Settings of one verification; the same for both programs."""

    options: Options = field(default_factory=Options)
    argv: tuple[str, ...] = ()
    """Arguments of the programs."""
    overrides: dict[str, str] = field(default_factory=dict)
    """Constants to replace while the programs load, as with ``--set``."""
    entry: str | None = None
    """Script in a given folder, relative to it."""
    module: str | None = None
    """Module to run in a given folder instead, as ``python -m`` would."""
    metric: str | None = None
    """Pattern of a printed line with ``{}`` for the number, for example ``final loss = {}``."""
    higher_is_better: bool = False
    other_values: int = 2
    """Sets of parameter values besides those the program starts from."""
    allow_deleted: bool = False
    allow_changed_forward: bool = False
    run_to_end: bool = True
    """Also run both programs to their end, for the metric and the number of updates."""
