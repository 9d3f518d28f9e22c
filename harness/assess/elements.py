"""Which elements of a gradient are wrong (`--elements`), or that none was found to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..measure import Budget, ElementCheck, Localisation, Problem, each_element, localise
from ..report.numbers import count, percent
from .gradients import Assessment, Judged

EACH = 16
"""Elements of a parameter up to which each is measured."""
ROUNDING = 1e-4
"""Error of an element relative to the largest one that single precision explains."""
MOST_EVALUATIONS = 1500
"""About eight runs per wrong element and halving; ten elements of a million need 1,345."""


def locate(assessment: Assessment, seed: int) -> None:
    """Add the place of the disagreement to the first wrong check of each parameter."""
    done: set[int] = set()
    for judged in assessment.judged:
        if judged.check.status == "disagrees" and judged.problem is not None and id(judged.trace) not in done:
            done.add(id(judged.trace))
            judged.elements = _sentence(judged, seed)


def acquit(assessment: Assessment) -> None:
    """Say of each parameter whose checks all agree how many elements took part; for checks that are final."""
    for trace in assessment.traces:
        judged = assessment.of(trace)
        measured = [j for j in judged if j.check.status == "agrees" and j.oracle == "global" and j.problem is not None]
        if measured and all(j.check.is_agreement for j in judged):
            measured[0].elements = _no_element(measured[0])


def measure_each(assessment: Assessment) -> None:
    """Give the checks of small parameters the derivative with respect to each element, right or wrong."""
    for judged in assessment.judged:
        problem, evaluator = judged.problem, judged.evaluator
        is_decided = judged.oracle == "global" and judged.check.status in ("agrees", "disagrees")
        if is_decided and problem is not None and evaluator is not None and problem.x.size <= EACH:
            found = each_element(evaluator, problem, judged.check)
            judged.each = tuple(_beside_the_others(element, problem) for element in found)


def _beside_the_others(element: ElementCheck, problem: Problem) -> ElementCheck:
    """An error of an element that is nothing against the whole gradient is the rounding of autodiff."""
    if element.status != "disagrees" or element.measured is None or not np.all(np.isfinite(problem.gradient)):
        return element
    is_small = abs(element.autodiff - element.measured) <= ROUNDING * float(np.max(np.abs(problem.gradient)))
    return replace(element, status="agrees") if is_small else element


def _no_element(judged: Judged) -> str:
    assert judged.problem is not None
    directions = sum(d.kind == "random" and d.status == "agrees" for d in judged.check.directions)
    visible = judged.check.smallest_visible_error
    seen = f", and an error above {percent(visible)} of the gradient would have shown" if visible is not None else ""
    size = judged.problem.x.size
    moved = "1 element was moved" if size == 1 else f"all {size:,} elements were moved together"
    return f"No element was found to disagree: {moved} along {count(directions, 'random direction')}{seen}."


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
