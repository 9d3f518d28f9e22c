"""What every kind of finding is made of: candidates seen in the recording, and how a proven one explains itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from ..schema import Finding, Location, Related, WithIntervention, WithoutNumbers

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Treatment
    from ..measure import ArrayCheck, DirectionCheck


class Breadth(IntEnum):
    """How much a treatment undoes."""

    ONE = 0
    """One suspected fault."""
    SEVERAL = 1
    """All of a kind at once."""
    ADJOINT = 2
    """A whole adjoint, with whatever went wrong in it or before it; something in its kernel speaks for a fault."""
    ANY_ADJOINT = 3
    """A whole adjoint with nothing that speaks for a fault in it."""


@dataclass
class Candidate:
    """A suspected cause: where, and what undoing it means."""

    kind: str
    treatment: Treatment
    action: str
    """What the treatment does, for the report: "restore recorded contents"."""
    title: str
    message: str
    remedy: str
    location: Location | None
    related: list[Related] = field(default_factory=list)
    mechanism: str | None = None
    cause: str | None = None
    weight: float = 1.0
    """Larger first: how much data the suspected fault touches."""
    breadth: Breadth = Breadth.ONE
    """Narrow first: what undoes more than one fault would hide which of them it was."""
    makes_nonfinite: bool = False
    """Backward was seen to make a value there that is not finite, from values that are."""
    iterations: frozenset[int] = frozenset()
    """Iterations in which it was seen; empty: in all."""
    refine: Callable[[Judged, Treatment], Candidate] | None = None
    """Once it is proven, with what else is undone: the same cause, named more closely."""


@dataclass
class Proof:
    """The pair of checks that proves a candidate."""

    judged: Judged
    without: ArrayCheck
    with_treatment: ArrayCheck
    beside_others: bool = False
    """In both, other causes are undone too: without that, neither gradient would be right."""


def finding(candidate: Candidate, proof: Proof | None, parameters: list[str]) -> Finding:
    """The report entry of a candidate."""
    numbers = _numbers_of(candidate, proof) if proof is not None else None
    return Finding.model_validate(
        {
            "kind": candidate.kind,
            "confidence": "proven" if proof is not None else "observed",
            "title": candidate.title,
            "message": candidate.message + (_told(candidate, proof, numbers) if proof and numbers else ""),
            "remedy": candidate.remedy,
            "location": candidate.location,
            "related": candidate.related,
            "parameters": parameters,
            "without": numbers and WithoutNumbers(autodiff=numbers.autodiff, measured=numbers.measured),
            "with_intervention": numbers
            and WithIntervention(
                name=candidate.action, autodiff=numbers.treated_autodiff, measured=numbers.treated_measured
            ),
            "mechanism": candidate.mechanism,
            "cause": candidate.cause,
        }
    )


@dataclass(frozen=True)
class _Numbers:
    """Autodiff and measured derivative, without and with the treatment."""

    autodiff: float
    measured: float
    treated_autodiff: float
    treated_measured: float
    is_one_direction: bool
    """Both along the same direction; else each along the headline direction of its own check."""


def _numbers_of(candidate: Candidate, proof: Proof) -> _Numbers:
    """The headline direction of the check without the treatment, and the same direction with it.

    Random directions are drawn from one seed, so that the n-th of both checks is the same, unless one of them had to
    start over; where the headline is another kind of direction, which depends on the gradient, the first one both
    checks resolved stands in.
    """
    before, after = proof.without, proof.with_treatment
    pairs = [
        (b, a)
        for b, a in zip(before.directions, after.directions, strict=False)
        if not (before.nonfinite_count or after.nonfinite_count)
        and b.kind == a.kind == "random"
        and (candidate.treatment.holds_links or _is_same_derivative(b, a))
    ]
    headline = [(b, a) for b, a in pairs if (b.autodiff, b.measured) == (before.autodiff, before.measured)]
    chosen = next(iter(headline or pairs), None)
    one, other = chosen or (before, after)
    values = (one.autodiff, one.measured, other.autodiff, other.measured)
    if chosen is not None and not candidate.treatment.holds_links:
        measured = min(chosen, key=lambda c: math.inf if c.half_width is None else c.half_width).measured
        values = (one.autodiff, measured, other.autodiff, measured)
    known = [float("nan") if v is None else float(v) for v in values]
    return _Numbers(known[0], known[1], known[2], known[3], is_one_direction=chosen is not None)


def _is_same_derivative(one: DirectionCheck, other: DirectionCheck) -> bool:
    """The objective's own derivative, which no treatment of the gradient changes, within its intervals."""
    if one.measured is None or other.measured is None:
        return False
    slack = 1e-3 * max(abs(one.measured), abs(other.measured))
    return abs(one.measured - other.measured) <= (one.half_width or 0.0) + (other.half_width or 0.0) + slack


def _told(candidate: Candidate, proof: Proof, n: _Numbers) -> str:
    when = f", at iteration {proof.judged.consumption.iteration},"
    if candidate.treatment.holds_links:
        others = " and the other causes undone" if proof.beside_others else ""
        held = f" With this link held fixed{others}{when} the differences give {n.treated_measured:.4g} "
        held += f"instead of {n.measured:.4g}"
        if math.isclose(n.treated_autodiff, n.autodiff, rel_tol=1e-3):
            return f"{held}, which is what autodiff says ({n.treated_autodiff:.4g})."
        return f"{held}; autodiff then gives {n.treated_autodiff:.4g} instead of {n.autodiff:.4g}."
    if proof.beside_others and n.is_one_direction:
        return (
            f" Left in alone, with the other causes undone{when} autodiff is {n.autodiff:.4g}; with this undone "
            f"as well it is {n.treated_autodiff:.4g}, and the differences give {n.treated_measured:.4g}."
        )
    undone = f" With this and the other causes undone{when}" if proof.beside_others else f" With this undone{when}"
    if n.is_one_direction:
        return (
            f"{undone} autodiff gives {n.treated_autodiff:.4g} instead of {n.autodiff:.4g}; "
            f"the differences give {n.treated_measured:.4g}."
        )
    return (
        f"{undone} autodiff gives {n.treated_autodiff:.4g} and the differences {n.treated_measured:.4g}; without that, "
        f"along another direction, {n.autodiff:.4g} and {n.measured:.4g}."
    )
