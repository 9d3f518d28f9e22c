"""Checks of the gradients: wrong before, right after, right from other parameter values, of the same parameters."""

from __future__ import annotations

import numpy as np

from ..report.numbers import number
from ..report.phrases import element_name
from ..schema import Check, CheckOutcome, Element, GradientNumbers, Number, OtherValues, Parameter, Report, VerifyCheck
from .measured import Measured, match

WRONG_BEFORE = "gradient wrong before"
RIGHT_AFTER = "gradient right after"
RIGHT_ELSEWHERE = "gradient right from other values"
SAME_PARAMETERS = "same parameters"
AS_WRITTEN = "as written"
_MOST_VALUES = 64
_SAME_START = 1e-5
"""Largest relative difference of initial values that counts as none."""


def start_name(index: int) -> str:
    """How the report names a set of other values."""
    return f"other values {index + 1}"


def wrong_before(before: Measured) -> VerifyCheck:
    """A fix of a gradient starts from a wrong one."""
    report = before.report
    if report.verdict == "blocked":
        message = f"The program before the fix did not get to a gradient. {report.summary}"
        return _check(WRONG_BEFORE, "undecided", message)
    if report.verdict == "wrong":
        return _check(WRONG_BEFORE, "passed", report.summary, _worst(report))
    for index, other in enumerate(before.others):
        if other.report is not None and other.report.verdict == "wrong":
            message = f"From {start_name(index)}: {other.report.summary}"
            return _check(WRONG_BEFORE, "passed", message, _worst(other.report))
    if report.verdict == "correct":
        message = "The gradient was already correct; whatever was fixed was not the gradient."
        return _check(WRONG_BEFORE, "failed", message, _worst(report))
    return _check(WRONG_BEFORE, "undecided", report.summary)


def right_after(before: Measured, after: Measured) -> VerifyCheck:
    """Every consumed gradient agrees with the measured derivative, and none has lost its effect."""
    report = after.report
    if report.verdict == "blocked":
        message = f"The program after the fix does not get to a gradient. {report.summary}"
        return _check(RIGHT_AFTER, "failed", message)
    if report.verdict == "wrong":
        return _check(RIGHT_AFTER, "failed", report.summary, _worst(report))
    was_wrong = {p.name for p in before.report.parameters if p.verdict == "wrong"}
    idle = [p.name for p in report.parameters if p.verdict == "independent" and p.name in was_wrong]
    if idle:
        message = f"The objective no longer reacts to `{idle[0]}`, whose gradient was wrong before."
        return _check(RIGHT_AFTER, "failed", message)
    short = report.program.iterations_observed < min(before.report.program.iterations_observed, 2)
    if report.verdict == "correct" and not short:
        return _check(RIGHT_AFTER, "passed", report.summary, _worst(report))
    if short:
        message = "The program after the fix ends before its second update, where accumulated gradients would show."
        return _check(RIGHT_AFTER, "failed", message)
    return _check(RIGHT_AFTER, "undecided", report.summary)


def right_elsewhere(after: Measured) -> VerifyCheck:
    """The same from parameter values that the program was not written for."""
    if after.report.verdict in ("blocked", "wrong") or not after.others:
        message = "Not asked for." if not after.others and after.report.verdict == "correct" else _NOT_TRIED
        return _check(RIGHT_ELSEWHERE, "not-applicable", message)
    reports = [other.report for other in after.others if other.report is not None]
    for index, other in enumerate(after.others):
        if other.report is not None and other.report.verdict == "wrong":
            message = f"From {start_name(index)}: {other.report.summary}"
            return _check(RIGHT_ELSEWHERE, "failed", message, _worst(other.report))
    right = sum(r.verdict == "correct" for r in reports)
    if right:
        message = f"Right from {right} of {len(after.others)} sets of values, each element moved by up to 25 %."
        return _check(RIGHT_ELSEWHERE, "passed", message, [n for r in reports for n in _worst(r)])
    said = f" {reports[0].summary}" if reports else ""
    return _check(RIGHT_ELSEWHERE, "undecided", f"No set of other values gave an answer.{said}")


_NOT_TRIED = "Not tried: the gradient is not right from the values as written."


def same_parameters(before: Measured, after: Measured) -> VerifyCheck:
    """Both programs optimise the same parameters from the same values."""
    if not before.starts or not after.starts:
        outcome: CheckOutcome = "not-applicable" if before.is_blocked or after.is_blocked else "undecided"
        return _check(SAME_PARAMETERS, outcome, "The parameters of at least one program are not known.")
    pairs = match(before.starts, after.starts)
    lost = [s.name for index, s in enumerate(before.starts) if index not in pairs.values()]
    if lost:
        message = f"The gradient of `{lost[0]}` is no longer used, or its shape has changed."
        return _check(SAME_PARAMETERS, "failed", message)
    for new, old in sorted(pairs.items()):
        start, model = after.starts[new], before.starts[old]
        x, y = model.contents.astype(np.float64), start.contents.astype(np.float64)
        largest = float(np.max(np.abs(x - y), initial=0.0))
        if largest > _SAME_START * max(float(np.max(np.abs(x), initial=0.0)), 1e-30):
            numbers = [Number(label="largest difference", value=largest)]
            is_random = before.is_random or after.is_random
            outcome = "undecided" if is_random else "failed"
            hint = " The program is random from run to run: seed it." if is_random else ""
            message = f"`{start.name}` starts from other values, by up to {number(largest)}.{hint}"
            return _check(SAME_PARAMETERS, outcome, message, numbers)
    added = len(after.starts) - len(pairs)
    more = f", and {added} more" if added else ""
    names = ", ".join(f"`{s.name}`" for s in before.starts)
    return _check(SAME_PARAMETERS, "passed", f"{names} from the same values{more}.")


def gradient_numbers(measured: Measured) -> list[GradientNumbers]:
    """Every check of every gradient, from the values as written and from others."""
    return [
        _numbers(parameter.name, check.iteration, start, check)
        for start, report in _reports(measured)
        for parameter in report.parameters
        for check in parameter.checks
    ]


def element_numbers(measured: Measured) -> list[GradientNumbers]:
    """The same for every element that was measured by itself."""
    return [
        _numbers(element_name(parameter.name, element), check.iteration, start, element)
        for start, report in _reports(measured)
        for parameter in report.parameters
        for check in parameter.checks
        for element in check.elements
    ]


def values_elsewhere(measured: Measured) -> list[OtherValues]:
    """The values that the program was started from beside its own."""
    return [
        OtherValues(
            start=start_name(index), parameter=start.name, values=contents.reshape(-1)[:_MOST_VALUES].tolist(),
            size=contents.size,
        )
        for index, other in enumerate(measured.others)
        for start, contents in other.values
    ]  # fmt: skip


def _reports(measured: Measured) -> list[tuple[str, Report]]:
    """Which values a report is about, and the report."""
    others = [(start_name(i), other.report) for i, other in enumerate(measured.others)]
    return [(AS_WRITTEN, measured.report), *((start, report) for start, report in others if report is not None)]


def _numbers(name: str, iteration: int, start: str, found: Check | Element) -> GradientNumbers:
    return GradientNumbers(
        parameter=name, iteration=iteration, start=start, autodiff=found.autodiff, measured=found.measured,
        interval=found.interval, ratio=found.ratio, verdict=found.verdict,
    )  # fmt: skip


def _worst(report: Report) -> list[Number]:
    """The numbers of the check that is furthest from 1, in ratio, of those with the report's verdict."""
    checks = [(p, c) for p in report.parameters for c in p.checks if p.verdict == report.verdict]
    if not checks:
        return []
    parameter, check = max(checks, key=lambda item: _distance(item[1]))
    where = _where(parameter, check)
    numbers = [
        Number(label=f"autodiff, {where}", value=check.autodiff),
        Number(label=f"measured, {where}", value=check.measured, interval=check.interval),
    ]
    return numbers if check.ratio is None else [*numbers, Number(label=f"ratio, {where}", value=check.ratio)]


def _distance(check: Check) -> float:
    return -1.0 if check.ratio is None or not np.isfinite(check.ratio) else abs(check.ratio - 1.0)


def _where(parameter: Parameter, check: Check) -> str:
    return f"`{parameter.name}` at iteration {check.iteration}"


def _check(name: str, outcome: CheckOutcome, message: str, numbers: list[Number] | None = None) -> VerifyCheck:
    return VerifyCheck(name=name, outcome=outcome, message=message, numbers=numbers or [])
