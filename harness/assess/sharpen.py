"""Agreement that only the tolerance grants, held against backward on the recorded contents.

Differences allow autodiff an error of its own (1 % in float32). Where array contents were changed before their adjoint
ran, the gradient on the recorded contents tells more: if it lies within the interval of the differences and the
consumed one does not, the consumed one is wrong, however little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..execute.session import Session
from ..measure import ArrayCheck, Budget, Problem, check_array
from ..record.events import Recording
from .gradients import FULL_BUDGET, Assessment, Judged
from .replay import replay

Progress = Callable[[str], None]

SHARP_TOLERANCE = 1e-3
"""Relative to the scale. Right float32 adjoints of short programs stay below; where they do not, nothing is claimed."""


def sharpen(
    session: Session, recording: Recording, assessment: Assessment, seed: int, progress: Progress = lambda _: None
) -> None:
    """Turn agreement into disagreement where the replayed gradient fits and the consumed one does not."""
    if not assessment.is_deterministic or not session.can_fork:
        return
    for judged in assessment.judged:
        if judged.oracle == "global" and _leans(judged.check):
            progress("replay")
            _sharpen(session, recording, judged, seed + judged.consumption.iteration)


def _leans(check: ArrayCheck) -> bool:
    """A residual outside of the interval, that the tolerance alone lets pass."""
    return check.status == "agrees" and any(
        d.residual is not None and d.half_width is not None and abs(d.residual) > 2.0 * d.half_width
        and abs(d.residual) > SHARP_TOLERANCE * d.scale
        for d in check.directions
    )  # fmt: skip


def _sharpen(session: Session, recording: Recording, judged: Judged, seed: int) -> None:
    replayed = replay(session, recording, judged.consumption)
    if replayed.is_clean or replayed.gradient is None or judged.problem is None:
        return
    consumed = replace(judged.problem, tolerance=SHARP_TOLERANCE)
    check = _check(judged, consumed, seed)
    if check.status == "disagrees" and check.confidence == "measured":
        mended = _check(judged, replace(consumed, gradient=replayed.gradient), seed)
        if mended.status == "agrees":
            judged.problem, judged.check = consumed, check


def _check(judged: Judged, problem: Problem, seed: int) -> ArrayCheck:
    assert judged.evaluator is not None
    return check_array(judged.evaluator, problem, seed, Budget(FULL_BUDGET))
