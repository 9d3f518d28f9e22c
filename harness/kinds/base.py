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
    from ..measure import ArrayCheck


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
    return Finding.model_validate(
        {
            "kind": candidate.kind,
            "confidence": "proven" if proof is not None else "observed",
            "title": candidate.title,
            "message": candidate.message + (_numbers(candidate, proof) if proof is not None else ""),
            "remedy": candidate.remedy,
            "location": candidate.location,
            "related": candidate.related,
            "parameters": parameters,
            "without": _without(proof),
            "with_intervention": _with(candidate, proof),
            "mechanism": candidate.mechanism,
            "cause": candidate.cause,
        }
    )


@dataclass(frozen=True)
class _Numbers:
    """Autodiff and measured derivative along one direction, without and with the treatment."""

    autodiff: float
    measured: float
    treated_autodiff: float
    treated_measured: float


def _numbers_of(proof: Proof) -> _Numbers:
    """The headline direction of the check without the treatment, and the same direction with it.

    Random directions are drawn from one seed, so that the n-th of both checks is the same; where the headline is
    another kind of direction, which depends on the gradient, the first one both checks resolved stands in.
    """
    before, after = proof.without, proof.with_treatment
    pairs = [
        (b, a)
        for b, a in zip(before.directions, after.directions, strict=False)
        if b.kind == a.kind == "random" and b.measured is not None and a.measured is not None
    ]
    headline = [(b, a) for b, a in pairs if b.autodiff == before.autodiff]
    chosen = next(iter(headline or pairs), None)
    if chosen is None:
        values = (before.autodiff, before.measured, after.autodiff, after.measured)
    else:
        values = (chosen[0].autodiff, chosen[0].measured, chosen[1].autodiff, chosen[1].measured)
    return _Numbers(*(float("nan") if v is None else float(v) for v in values))


def _without(proof: Proof | None) -> WithoutNumbers | None:
    if proof is None:
        return None
    numbers = _numbers_of(proof)
    return WithoutNumbers(autodiff=numbers.autodiff, measured=numbers.measured)


def _with(candidate: Candidate, proof: Proof | None) -> WithIntervention | None:
    if proof is None:
        return None
    numbers = _numbers_of(proof)
    return WithIntervention(name=candidate.action, autodiff=numbers.treated_autodiff, measured=numbers.treated_measured)


def _numbers(candidate: Candidate, proof: Proof) -> str:
    n = _numbers_of(proof)
    undone = "With this and the other causes undone" if proof.beside_others else "With this undone"
    if candidate.treatment.holds_links and math.isclose(n.treated_autodiff, n.autodiff, rel_tol=1e-3):
        return (
            f" With this link held fixed the differences give {n.treated_measured:.4g} instead of {n.measured:.4g}, "
            f"which is what autodiff says ({n.treated_autodiff:.4g})."
        )
    if candidate.treatment.holds_links:
        return (
            f" With this link held fixed the differences give {n.treated_measured:.4g} instead of {n.measured:.4g}; "
            f"autodiff then gives {n.treated_autodiff:.4g} instead of {n.autodiff:.4g}."
        )
    return (
        f" {undone} autodiff gives {n.treated_autodiff:.4g} instead of {n.autodiff:.4g}; "
        f"the differences give {n.treated_measured:.4g}."
    )
