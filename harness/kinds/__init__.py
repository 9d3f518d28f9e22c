"""Named causes: one module per kind, each with what it looks for and what undoing it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..schema import Finding
from . import (
    array_overwrite,
    cancellation,
    chaotic_forward,
    copy_adjoint,
    double_counting,
    gradient_accumulation,
    gradient_truncation,
    host_round_trip,
    kernel_adjoints,
    nonsmooth_point,
    piecewise_constant,
    replay_side_effect,
    severed_chain,
    stale_gradient,
    step_size,
    stochastic_forward,
    unconverged_solver,
    unrecorded_write,
    wrong_seed,
)
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

LOOKS: list[Callable[[Laboratory], list[Candidate]]] = [
    stale_gradient.candidates,
    wrong_seed.candidates,
    double_counting.candidates,
    gradient_accumulation.candidates,
    gradient_truncation.candidates,
    severed_chain.candidates,
    host_round_trip.candidates,
    unrecorded_write.candidates,
    array_overwrite.candidates,
    copy_adjoint.candidates,
    replay_side_effect.candidates,
    kernel_adjoints.candidates,
]
"""What is looked for, in every recording whose gradient is wrong."""

REMARKS: list[Callable[[Laboratory], list[Finding]]] = [
    stochastic_forward.remarks,
    piecewise_constant.remarks,
    nonsmooth_point.remarks,
    chaotic_forward.remarks,
    cancellation.remarks,
    step_size.remarks,
    unconverged_solver.remarks,
]
"""What is looked for in every recording: reasons why a right gradient does not help, or cannot be judged."""
