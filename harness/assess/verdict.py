"""From checks to the report's parameters and its verdict."""

from __future__ import annotations

import math
from collections import Counter

from ..measure import ElementCheck, distance
from ..report import summarize
from ..schema import Check, Element, Location, Parameter
from ..schema.vocabulary import ParameterVerdict, ReportVerdict
from ..trace.consumption import ParameterTrace
from ..trace.source import Source
from .gradients import Assessment, Judged

_MOST_NAMED = 3
"""Further parameters that the summary names."""


def parameter_reports(assessment: Assessment, source: Source) -> list[Parameter]:
    """One entry per parameter, in the order of their first consumption."""
    return [_parameter(trace, assessment.of(trace), source) for trace in assessment.traces]


def _parameter(trace: ParameterTrace, judged: list[Judged], source: Source) -> Parameter:
    buffer = trace.buffers[0]
    info = source.recording.buffers[buffer]
    place = source.place(info["site"])
    location = None
    if place is not None:
        location = Location(
            file=source.relative(place.file), line=place.line, function=place.function, snippet=place.snippet
        )
    return Parameter(
        name=source.name(buffer),
        location=location,
        shape=info["shape"],
        dtype=info["dtype"],
        verdict=_verdict(judged),
        checks=[check_report(j, source) for j in judged],
    )


def _verdict(judged: list[Judged]) -> ParameterVerdict:
    statuses = [j.check.status for j in judged]
    if any(j.check.status == "disagrees" and j.check.confidence == "measured" for j in judged):
        return "wrong"
    if statuses and all(s == "independent" for s in statuses):
        return "independent"
    if judged and all(j.check.is_agreement for j in judged):
        return "correct"
    return "undecided"


def report_verdict(parameters: list[Parameter]) -> ReportVerdict:
    """Wrong if any gradient is; correct if all are judged and at least one of them is not vacuous."""
    verdicts = {p.verdict for p in parameters}
    if "wrong" in verdicts:
        return "wrong"
    return "correct" if verdicts <= {"correct", "independent"} and "correct" in verdicts else "undecided"


def summary(verdict: ReportVerdict, parameters: list[Parameter]) -> str:
    """The sentence behind the verdict: the parameter that decided it, and the names of those that say the same."""
    chosen, *others = sorted(
        [p for p in parameters if p.verdict == verdict] or parameters[:1], key=_error, reverse=True
    )
    if verdict == "correct" or not others:
        return summarize(chosen)
    named = ", ".join(f"`{p.name}`" for p in others[:_MOST_NAMED])
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    return f"{summarize(chosen)}; {verdict} as well: {named}{more}"


def _error(parameter: Parameter) -> float:
    return max((distance(c.ratio) for c in parameter.checks if c.verdict == "disagrees"), default=0.0)


def check_report(judged: Judged, source: Source) -> Check:
    """One check as the report shows it."""
    check = judged.check
    explanation = _explanation(judged)
    return Check(
        iteration=judged.consumption.iteration,
        objective=_objective_name(judged, source),
        oracle=judged.oracle,
        autodiff=_number(check.autodiff, judged),
        measured=_number(check.measured, judged, gradient=False),
        interval=check.half_width,
        ratio=check.ratio,
        verdict=check.status,
        reason=check.reason,
        smallest_visible_error=check.smallest_visible_error,
        evaluations=check.evaluations,
        explanation=explanation,
        next_step=check.next_step or "",
        h=check.h,
        eps_f=check.eps_f,
        eps_f_in_ulps=check.eps_f_in_ulps,
        elements=[_element_report(element) for element in judged.each],
    )


def _element_report(element: ElementCheck) -> Element:
    measured, interval = element.measured, element.half_width
    is_resolved = measured is not None and interval is not None and abs(measured) > interval
    return Element(
        index=element.index,
        autodiff=element.autodiff,
        measured=math.nan if measured is None else measured,
        interval=interval,
        ratio=element.autodiff / measured if is_resolved and measured else None,
        verdict=element.status,
    )


def _number(value: float | None, judged: Judged, gradient: bool = True) -> float:
    if value is not None:
        return float(value)
    if gradient and judged.check.status == "independent":
        return 0.0
    return math.nan


def _objective_name(judged: Judged, source: Source) -> str:
    if judged.reported is not None:
        return source.scalar_name(judged.reported)
    names: Counter[str] = Counter()
    for term in judged.objective.contributions:
        name = source.name(term.buffer)
        names[name if term.seed_file is None else f"seed . {name}"] += 1
    if not names:
        return "none"
    terms = [name if count == 1 else f"sum of {count} {name}" for name, count in names.items()]
    return " + ".join([*terms[:3], *([f"{len(terms) - 3} more"] if len(terms) > 3 else [])])


_FAILURES = {
    "crash": "crashed",
    "timeout": "took too long",
    "nan": "gave NaN or infinity",
    "not-reached": "did not come to the same backward pass",
}


def _explanation(judged: Judged) -> str:
    check = judged.check
    if judged.elements:
        return judged.elements
    if judged.settlement is not None:
        return judged.settlement.explanation
    if check.nonfinite_count:
        where = ", ".join(str(i) for i in check.first_nonfinite or ())
        return f"{check.nonfinite_count} elements of the gradient are not finite, the first at [{where}]."
    if check.is_piecewise_constant:
        return (
            "The objective does not change at small steps and jumps at larger ones; "
            "almost everywhere its derivative is 0."
        )
    if judged.reason == "not-differentiable":
        return "The parameter does not hold floating-point numbers, or its gradient has another shape: no derivative."
    if judged.reason == "no-objective":
        return "Backward was seeded with zeros, or only with adjoints of earlier passes."
    if judged.reason == "not-reached":
        return "A second run of the program did not get to the same point."
    if check.reason == "domain_error" and judged.problem is not None and judged.problem.baseline.failure:
        return f"The unperturbed run gives no number here ({judged.problem.baseline.failure})."
    if check.reason == "domain_error" and judged.evaluator is not None and judged.evaluator.failures:
        ways = [f"{count} {_FAILURES.get(status, status)}" for status, count in judged.evaluator.failures.most_common()]
        return f"Of {judged.evaluator.runs} runs with a changed parameter, {', '.join(ways)}."
    return ""
