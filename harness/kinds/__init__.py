"""Named causes: one module per kind, each with what it looks for and what undoing it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import (
    array_overwrite,
    double_counting,
    gradient_accumulation,
    gradient_truncation,
    host_round_trip,
    kernel_adjoints,
    replay_side_effect,
    severed_chain,
    stale_gradient,
    unrecorded_write,
)
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

LOOKS: list[Callable[[Laboratory], list[Candidate]]] = [
    stale_gradient.candidates,
    double_counting.candidates,
    gradient_accumulation.candidates,
    gradient_truncation.candidates,
    severed_chain.candidates,
    host_round_trip.candidates,
    unrecorded_write.candidates,
    array_overwrite.candidates,
    replay_side_effect.candidates,
    kernel_adjoints.candidates,
]
"""What is looked for, in every recording whose gradient is wrong."""
