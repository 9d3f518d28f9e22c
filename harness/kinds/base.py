"""What every kind of finding is made of: candidates seen in the recording, and how a proven one explains itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

from ..schema import Finding, Location, Related, WithIntervention, WithoutNumbers

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory, Treatment
    from ..measure import ArrayCheck


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
    iterations: frozenset[int] = frozenset()
    """Iterations in which it was seen; empty: in all."""
    refine: Callable[[Judged, Treatment], Candidate] | None = None
    """Once it is proven, with what else is undone: the same cause, named more closely."""


class Kind(Protocol):
    """One module per kind implements this."""

    name: ClassVar[str]

    def candidates(self, lab: Laboratory) -> list[Candidate]:
        """Suspects of this kind."""
        ...


@dataclass
class Proof:
    """The pair of checks that proves a candidate."""

    judged: Judged
    without: ArrayCheck
    with_treatment: ArrayCheck


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


def _without(proof: Proof | None) -> WithoutNumbers | None:
    if proof is None:
        return None
    return WithoutNumbers(autodiff=_value(proof.without.autodiff), measured=_value(proof.without.measured))


def _with(candidate: Candidate, proof: Proof | None) -> WithIntervention | None:
    if proof is None:
        return None
    check = proof.with_treatment
    return WithIntervention(name=candidate.action, autodiff=_value(check.autodiff), measured=_value(check.measured))


def _numbers(candidate: Candidate, proof: Proof) -> str:
    before, after = proof.without, proof.with_treatment
    if candidate.treatment.holds_links and not candidate.treatment.interventions:
        return (
            f" With this link held fixed the differences give {_short(after.measured)} instead of "
            f"{_short(before.measured)}, which is what autodiff says ({_short(after.autodiff)})."
        )
    return (
        f" With this undone autodiff gives {_short(after.autodiff)} instead of {_short(before.autodiff)}; "
        f"the differences give {_short(after.measured)}."
    )


def _short(value: float | None) -> str:
    return "nan" if value is None else f"{value:.4g}"


def _value(value: float | None) -> float:
    return float("nan") if value is None else float(value)
