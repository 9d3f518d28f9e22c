"""Which elements of a wrong gradient are wrong (`--elements`)."""

from __future__ import annotations

from ..measure import Budget, Localisation, localise
from .gradients import Assessment, Judged

MOST_EVALUATIONS = 1500
"""About eight runs per wrong element and halving; ten elements of a million need 1,345."""


def locate(assessment: Assessment, seed: int) -> None:
    """Add the place of the disagreement to the first wrong check of each parameter."""
    done: set[int] = set()
    for judged in assessment.judged:
        if judged.check.status == "disagrees" and judged.problem is not None and id(judged.trace) not in done:
            done.add(id(judged.trace))
            judged.elements = _sentence(judged, seed)


def _sentence(judged: Judged, seed: int) -> str:
    assert judged.problem is not None
    assert judged.evaluator is not None
    found = localise(judged.evaluator, judged.problem, seed, Budget(MOST_EVALUATIONS))
    if found.kind == "elements" and found.elements:
        listed = ", ".join(
            f"{list(e.index)} (autodiff {_short(e.autodiff)}, measured {_short(e.measured)})" for e in found.elements
        )
        return f"Wrong elements: {listed}."
    if found.kind == "dense":
        return f"The disagreement is spread over {_regions(found)}."
    return f"The wrong elements could not be told apart ({found.reason or 'none responds alone'})."


def _regions(found: Localisation) -> str:
    boxes = ["[" + ", ".join(f"{a}:{b}" for a, b in box) + "]" for box in found.regions[:4]]
    return ", ".join(boxes) + (" and more" if len(found.regions) > 4 else "") if boxes else "the whole array"


def _short(value: float | None) -> str:
    return "nan" if value is None else f"{value:.4g}"
