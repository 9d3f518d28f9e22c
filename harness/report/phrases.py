"""Sentences that several formats share. They put finished facts into words and judge nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.report.numbers import count, counter, factor, memory, number, percent, seconds, with_interval
from harness.schema import (
    ArrayChange,
    Check,
    CheckVerdict,
    Comparison,
    Element,
    Event,
    Evidence,
    Finding,
    Location,
    Note,
    Number,
    Oracle,
    Parameter,
    ParameterVerdict,
    Report,
    Series,
)

_CHECK_BEHIND: dict[ParameterVerdict, CheckVerdict] = {
    "wrong": "disagrees",
    "correct": "agrees",
    "undecided": "undecided",
    "independent": "independent",
}
ELEMENT_HEADER = ("element", "iter.", "autodiff", "measured", "ratio", "verdict")
_SAME_RATIO = 0.05

ORACLES: dict[Oracle, str] = {
    "global": "differences through the whole program",
    "replay": "backward on recorded values",
    "local": "differences of single launches",
}

DIRECTIONS = (
    "autodiff and measured are derivatives along one direction, mostly a random mix of all elements: "
    "no norms, and single elements with --elements only; findings and other runs may use other directions"
)


def derivative(parameter: Parameter, objective: str = "") -> str:
    """Return "d(loss)/d(params)", for the objective of the first check unless another is named."""
    objective = objective or (parameter.checks[0].objective if parameter.checks else "objective")
    return f"d({objective})/d({parameter.name})"


def summarize(parameter: Parameter) -> str:
    """Return the sentence for `Report.summary` when `parameter` is the one to speak of: what, where, how much."""
    place = f", {parameter.location}" if parameter.location else ""
    return f"{derivative(parameter)}{place}: {_how_much(parameter)}"


def summary(report: Report) -> str:
    """Return the report's summary, with the parameter put in front where the sentence does not name it."""
    same = [p for p in report.parameters if p.verdict == report.verdict]
    if not same or any(p.name in report.summary for p in same):
        return report.summary
    place = f", {same[0].location}" if same[0].location else ""
    return f"{derivative(same[0])}{place}: {report.summary}"


def telling_check(parameter: Parameter) -> Check | None:
    """Return the first check that carries the parameter's verdict, else the first one; None if there is none."""
    behind = [c for c in parameter.checks if c.verdict == _CHECK_BEHIND[parameter.verdict]]
    return next(iter(behind or parameter.checks), None)


def explained_checks(report: Report) -> list[tuple[Parameter, Check]]:
    """Return the checks that did not agree and say why, of parameters that are not right."""
    told = ("undecided", "wrong")
    return [(p, check) for p in report.parameters if p.verdict in told for check in _explained(p)]


def _explained(parameter: Parameter) -> list[Check]:
    """One check for each explanation."""
    seen: dict[tuple[str, str], Check] = {}
    for check in parameter.checks:
        if check.verdict in ("undecided", "disagrees") and (check.explanation or check.next_step):
            seen.setdefault((check.explanation, check.next_step), check)
    return list(seen.values())


def table_notes(report: Report) -> list[str]:
    """Return what the numbers of the checks are, and what those that agree have to add."""
    checks = [(p, c) for p in report.parameters for c in p.checks]
    notes = [DIRECTIONS] if any(c.oracle != "replay" and math.isfinite(c.measured) for _, c in checks) else []
    for parameter, check in checks:
        if check.verdict == "agrees" and check.oracle == "global" and check.explanation:
            lead = f"`{parameter.name}`: " if len(report.parameters) > 1 else ""
            notes.append(f"{lead}{check.explanation}")
    return list(dict.fromkeys(notes))


def evidence_lines(finding: Finding) -> list[str]:
    """Return one line per piece of evidence, the numbers of the intervention first."""
    lines = [line for line in [_intervention(finding)] if line]
    home = finding.location.file if finding.location else ""
    return lines + [_evidence(entry, home) for entry in finding.evidence]


def check_numbers(check: Check) -> list[str]:
    """Return autodiff, measured and ratio of a check, for a table."""
    return [
        number(check.autodiff),
        with_interval(check.measured, check.interval),
        (factor if check.verdict == "disagrees" else number)(check.ratio),
    ]


def element_name(parameter: str, element: Element) -> str:
    """Return "params[2, 0]"; the only element of a scalar has no index."""
    return f"{parameter}[{', '.join(map(str, element.index))}]" if element.index else parameter


def element_rows(parameters: Sequence[Parameter]) -> list[list[str]]:
    """Return one row per element that was measured by itself: name, iteration, numbers, verdict."""
    return [
        [
            element_name(parameter.name, element),
            str(check.iteration),
            number(element.autodiff, 4),
            with_interval(element.measured, element.interval),
            (factor if element.verdict == "disagrees" else number)(element.ratio),
            element.verdict,
        ]
        for parameter in parameters
        for check in parameter.checks
        for element in check.elements
    ]


def cost_line(report: Report) -> str:
    """Return "3.6 s, 14 runs of the program, 212 MiB"."""
    parts = [seconds(report.cost.seconds), f"{count(report.cost.executions, 'run')} of the program"]
    if report.cost.peak_memory is not None:
        parts.append(memory(report.cost.peak_memory))
    return ", ".join(parts)


def environment_line(report: Report) -> str:
    """Return "warp 1.19.0, numpy 2.3.1, Python 3.11.7, cpu"."""
    env = report.environment
    parts = [
        f"{name} {version}"
        for name, version in (("warp", env.warp), ("numpy", env.numpy), ("torch", env.torch))
        if version
    ]
    return ", ".join([*parts, f"Python {env.python}", env.platform, *([env.device] if env.device else [])])


def array_type(parameter: Parameter) -> str:
    """Return "32 x 3 vec3"; a scalar has the type alone."""
    return " ".join([" x ".join(map(str, parameter.shape)), parameter.dtype]).strip()


def _how_much(parameter: Parameter) -> str:
    check = telling_check(parameter)
    if check is None:
        return "not checked"
    if parameter.verdict == "independent":
        return f"`{check.objective}` does not depend on `{parameter.name}`"
    if parameter.verdict == "undecided":
        return f"differences cannot check it ({check.reason})" if check.reason else "differences cannot check it"
    if parameter.verdict == "correct":
        visible = check.smallest_visible_error
        seen = f", and an error above {percent(visible)} would have shown" if visible is not None else ""
        return f"autodiff agrees with the measured derivative{seen}"
    disagreeing = [c for c in parameter.checks if c.verdict == "disagrees"] or [check]
    return f"{_disagreement(disagreeing)}, {_at_iterations(disagreeing, parameter.checks)}"


def _disagreement(checks: Sequence[Check]) -> str:
    ratios = [c.ratio for c in checks if c.ratio is not None and math.isfinite(c.ratio)]
    if not ratios:
        first = checks[0]
        return f"autodiff is {number(first.autodiff)}, measured {with_interval(first.measured, first.interval)}"
    low, high = min(ratios), max(ratios)
    if high - low <= _SAME_RATIO * max(abs(low), abs(high)):
        return f"autodiff is {factor(ratios[0])} x the measured derivative"
    return f"autodiff is {factor(low)} to {factor(high)} x the measured derivative"


def _at_iterations(disagreeing: Sequence[Check], checks: Sequence[Check]) -> str:
    bad = sorted({c.iteration for c in disagreeing})
    checked = sorted({c.iteration for c in checks})
    if bad == checked:
        return "at every iteration checked" if len(checked) > 1 else f"at iteration {bad[0]}"
    if len(bad) > 1 and bad == checked[-len(bad) :]:
        return f"from iteration {bad[0]} on"
    return f"at {'iteration' if len(bad) == 1 else 'iterations'} {', '.join(map(str, bad))}"


def _intervention(finding: Finding) -> str:
    without, with_it = finding.without, finding.with_intervention
    if with_it is None:
        return f"autodiff {number(without.autodiff)}, measured {number(without.measured)}" if without else ""
    autodiff, measured = number(with_it.autodiff), number(with_it.measured)
    if without is None:
        return f"{with_it.name}: autodiff {autodiff}, measured {measured}"
    before = f"{with_it.name}: autodiff {number(without.autodiff)}"
    if number(without.measured) == measured:
        return f"{before} -> {autodiff}, measured {measured}"
    return f"{before}, measured {number(without.measured)} -> autodiff {autodiff}, measured {measured}"


def _evidence(entry: Evidence, home: str) -> str:
    match entry:
        case Number():
            unit = f" {entry.unit}" if entry.unit else ""
            return f"{entry.label}: {with_interval(entry.value, entry.interval)}{unit}"
        case Comparison():
            ratio = f", ratio {number(entry.ratio)}" if entry.ratio is not None else ""
            measured = with_interval(entry.measured, entry.interval)
            return f"{entry.label}: autodiff {number(entry.autodiff)}, measured {measured}{ratio}"
        case ArrayChange():
            return (
                f"{count(entry.elements_changed, 'element')} of `{entry.array}` changed by up to "
                f"{number(entry.max_abs_change)} between {_place(entry.reader, home)} (read) and "
                f"{_place(entry.writer, home)} (written)"
            )
        case Event():
            return f"{entry.what} ({_place(Location(file=entry.file, line=entry.line), home)})"
        case Series():
            return f"{entry.label}: {_course(entry)}"
        case Note():
            return entry.text


def _place(location: Location, home: str) -> str:
    """Name the place, without the file where it is the finding's own."""
    return f"line {location.line}" if location.file == home else str(location)


def _course(series: Series) -> str:
    if not series.x:
        return "no points"
    ends = f"{number(series.y[0])} at {counter(series.x[0])}"
    if len(series.x) > 1:
        ends += f" to {number(series.y[-1])} at {counter(series.x[-1])}"
    return f"{ends} ({count(len(series.x), 'point')})"
