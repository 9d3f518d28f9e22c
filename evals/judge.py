"""A measurement beside the reference: gradients, forward values, metric. Used to validate cases and to score trials."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evals.case import Case
from evals.measure import FullRun, Measurement, number
from evals.truth import Array, BadReference, Comparison, Reference, compare, hopeless, value


@dataclass(frozen=True)
class Check:
    """One question and its answer."""

    name: str
    passed: bool
    detail: str = ""


def comparisons(
    case: Case, reference: Reference, measured: Measurement, known: Mapping[str, Array]
) -> list[Comparison]:
    """Every consumed gradient against the true one at the very parameter values the program had.

    Args:
        known: values for parameters that the program takes no gradient of.

    Raises:
        BadReference: the reference fails.
    """
    found = []
    for point in measured.points:
        parameters = {**known, **point.parameters}
        unknown = sorted(set(point.gradients) - set(parameters))
        if unknown:
            raise BadReference(f"the values of {', '.join(unknown)} at iteration {point.iteration} are not known")
        if all(np.all(np.isfinite(parameters[name])) for name in point.gradients):
            found += compare(reference.objective, parameters, point.gradients, point.iteration)
        else:
            found += [hopeless(name, point.iteration) for name in point.gradients]
    return found


def gradient_is_right(
    name: str, case: Case, reference: Reference, measured: Measurement, known: Mapping[str, Array]
) -> Check:
    """The consumed gradient is the true one for every parameter at every iteration."""
    if measured.failure:
        return Check(name, False, measured.failure)
    if len(measured.points) < case.truth.iterations:
        text = f"gradients of {len(measured.points)} iterations are consumed, not of {case.truth.iterations}"
        return Check(name, False, text)
    unread = [f"{n} at iteration {p.iteration}" for p in measured.points for n, g in p.gradients.items() if g is None]
    if unread:
        return Check(name, False, f"no gradient is consumed for {', '.join(unread)}")
    try:
        found = comparisons(case, reference, measured, known)
    except BadReference as error:
        return Check(name, False, str(error))
    if not any(c.moves for c in found):
        return Check(name, False, "the objective depends on no parameter")
    wrong = [c for c in found if not c.agrees(case.truth.tolerance)]
    return Check(name, not wrong, describe(wrong[0] if wrong else max(found, key=lambda c: c.error)))


def gradient_is_wrong(
    name: str, case: Case, reference: Reference, measured: Measurement, known: Mapping[str, Array]
) -> Check:
    """At one iteration at least the gradient is wrong by far more than any noise; a program that takes none is too."""
    if measured.failure:
        return Check(name, True, measured.failure)
    found: list[Comparison] = []
    for point in measured.points:
        try:
            found += comparisons(case, reference, Measurement([point]), known)
        except BadReference as error:
            # A gradient of NaN leaves parameters behind at which there is no objective any more.
            if not any(c.differs(case.truth.visible) for c in found):
                return Check(name, False, str(error))
            break
    worst = max(found, key=lambda c: c.error)
    return Check(name, worst.differs(case.truth.visible), describe(worst))


def forward_is_unchanged(name: str, case: Case, reference: Reference, measured: Measurement) -> Check:
    """The program's forward value at iteration 0 is that of the reference at the same parameter values."""
    if not measured.points:
        return Check(name, False, measured.failure or "the program got to no iteration")
    forward, point = case.truth.forward, measured.points[0]
    function = reference.objective if forward.pattern is None else reference.printed
    found = point.loss if forward.pattern is None else number(forward.pattern, measured.printed, "first")
    if found is None:
        what = "backward runs on no loss; give truth.forward.pattern" if forward.pattern is None else "is not printed"
        return Check(name, False, what)
    try:
        expected = value(function, point.parameters, 0)
    except BadReference as error:
        return Check(name, False, str(error))
    allowed = forward.tolerance * max(abs(expected), abs(found), 1e-12)
    passed = math.isfinite(found) and abs(found - expected) <= allowed
    return Check(name, passed, f"{found:.7g}, reference {expected:.7g}")


def metric_is_reached(name: str, case: Case, run: FullRun) -> Check:
    """The number that the user complains about is as good as it should be at the end of the whole program."""
    assert case.metric is not None
    metric = case.metric
    found = number(metric.pattern, run.printed, metric.take, metric.better)
    if run.failure:
        return Check(name, False, run.failure)
    if found is None:
        return Check(name, False, f"`{metric.pattern}` is not printed")
    reached = found <= metric.threshold if metric.better == "lower" else found >= metric.threshold
    sign = "<=" if metric.better == "lower" else ">="
    return Check(name, reached, f"{found:.6g}, wanted {sign} {metric.threshold:g}")


def describe(comparison: Comparison) -> str:
    """A comparison in a few words."""
    c = comparison
    return (
        f"{c.parameter} at iteration {c.iteration}: error {c.error:.2g} (+- {c.bound:.1g}), "
        f"|gradient| {c.gradient_norm:.4g}, true {c.true_norm:.4g}"
    )
