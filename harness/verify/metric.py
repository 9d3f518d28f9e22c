"""The user's own complaint: is their number better, after as many updates?"""

from __future__ import annotations

import math
import re

from ..options import UsageError
from ..report.numbers import number
from ..schema import CheckOutcome, Number, VerifyCheck
from .measured import Measured
from .whole_run import objective_course, update_count

METRIC = "metric better"
EFFORT = "as many updates"
NUMBER = r"([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf(?:inity)?))"
_EQUAL = 1e-3
"""Relative difference of the objective that counts as none, where the user has named no metric."""
_EQUAL_NAMED = 1e-6
_LITTLE = 0.01
"""Relative change that a mended gradient is expected to exceed."""
_MOST_LOST = 0.1
"""Part of the decrease since the first update that may be lost, where the user has named no metric."""


def pattern_of(metric: str) -> re.Pattern[str]:
    """The regular expression of a pattern such as ``final loss = {}``; runs of blanks match any blanks.

    Raises:
        UsageError: there is not exactly one ``{}`` in it.
    """
    if metric.count("{}") != 1:
        raise UsageError(
            f"--metric {metric!r} needs one {{}} where the number stands, as in --metric 'final loss = {{}}'."
        )
    left, right = (r"\s+".join(re.escape(w) for w in re.split(r"\s+", part)) for part in metric.split("{}"))
    return re.compile(f"{left}{NUMBER}{right}", re.IGNORECASE)


def last_match(metric: str, output: str) -> float | None:
    """The number of the last match in what a program printed."""
    found = pattern_of(metric).findall(output)
    return float(found[-1]) if found else None


def last_printed(output: str) -> float | None:
    """The last number with a decimal point or an exponent that a program printed."""
    found = [
        n for n in re.findall(rf"(?<![\w.]){NUMBER}(?![\w.])", output, re.IGNORECASE) if not n.lstrip("+-").isdigit()
    ]
    return float(found[-1]) if found else None


def same_effort(before: Measured, after: Measured, are_constants_changed: bool) -> VerifyCheck:
    """Fewer updates are no fix: they hide what shows later."""
    old, new = updates(before), updates(after)
    if old is None or new is None:
        message = "The number of updates is not known: a program was not run to its end, or captured its updates."
        return VerifyCheck(name=EFFORT, outcome="not-applicable", message=message)
    numbers = [Number(label="updates before", value=old), Number(label="updates after", value=new)]
    if new == old:
        return VerifyCheck(name=EFFORT, outcome="passed", message=f"{new} updates in both.", numbers=numbers)
    if new < old and (are_constants_changed or new < min(old, 3)):
        message = f"{new} updates instead of {old}: a shorter run hides what goes wrong later."
        return VerifyCheck(name=EFFORT, outcome="failed", message=message, numbers=numbers)
    why = (
        "no number in the source says so, so the program stops by itself" if not are_constants_changed else "more work"
    )
    message = f"{new} updates instead of {old}; {why}."
    return VerifyCheck(name=EFFORT, outcome="passed", message=message, numbers=numbers)


def updates(measured: Measured) -> int | None:
    """Iterations of the whole run; None where they are not known."""
    if measured.whole is None or measured.recording is None or not measured.whole.is_whole:
        return None
    return update_count(measured.whole, measured.recording)


def metric_better(before: Measured, after: Measured, metric: str | None, is_higher_better: bool) -> VerifyCheck:
    """The metric at the end of the run after the fix, against the one before it."""
    check = _metric_check(before, after, metric, is_higher_better)
    is_mended = before.report.verdict == "wrong" and after.report.verdict == "correct"
    return _with_hint(check) if is_mended else check


def _with_hint(check: VerifyCheck) -> VerifyCheck:
    """Say so where the number has hardly changed."""
    if check.outcome != "passed" or len(check.numbers) != 2:
        return check
    old, new = (n.value for n in check.numbers)
    size = max(abs(old), abs(new))
    if not math.isfinite(old) or abs(new - old) >= _LITTLE * size:
        return check
    hint = (
        f"That is a change of {100.0 * abs(new - old) / size:.2g} % only, although the gradient is right now: more "
        "updates, or a rate tuned on the right gradient, may be needed."
    )
    return check.model_copy(update={"message": f"{check.message} {hint}"})


def _metric_check(before: Measured, after: Measured, metric: str | None, is_higher_better: bool) -> VerifyCheck:
    old_run, new_run = before.whole, after.whole
    if old_run is None or new_run is None:
        return VerifyCheck(name=METRIC, outcome="not-applicable", message="The programs were not run to their end.")
    if not new_run.is_whole:
        outcome: CheckOutcome = "failed" if old_run.is_whole and new_run.status != "timeout" else "undecided"
        return VerifyCheck(name=METRIC, outcome=outcome, message=f"The program after the fix {new_run.why_not}.")
    if metric is not None and old_run.status == "timeout":
        return VerifyCheck(name=METRIC, outcome="undecided", message=f"The program before the fix {old_run.why_not}.")
    if metric is None:
        return _by_objective(before, after, is_higher_better)
    old, new = last_match(metric, old_run.output), last_match(metric, new_run.output)
    if old is None and new is None:
        printed = new_run.output.strip().splitlines()[-1:] or ["nothing"]
        message = f"Neither program prints `{metric}`. The last line printed is: {printed[0]}"
        return VerifyCheck(name=METRIC, outcome="undecided", message=message)
    if new is None:
        message = f"The program after the fix does not print `{metric}`."
        return VerifyCheck(name=METRIC, outcome="failed", message=message)
    if old is None:
        message = f"The program before the fix does not print `{metric}`; after it is {number(new)}."
        return VerifyCheck(name=METRIC, outcome="undecided", message=message)
    name = metric.replace("{}", "").strip(" =:") or "metric"
    return _compared(name, old, new, is_higher_better, is_named=True)


def _by_objective(before: Measured, after: Measured, is_higher_better: bool) -> VerifyCheck:
    """Without a metric: the objective after as many updates, or else the last number printed."""
    if updates(before) == 0:
        message = "The program makes no update, so there is nothing to get better."
        return VerifyCheck(name=METRIC, outcome="not-applicable", message=message)
    old, new = _course(before), _course(after)
    if old and new:
        last = min(len(old), len(new)) - 1
        name = f"objective at update {last + 1}"
        return _compared(name, old[last], new[last], is_higher_better, is_named=False, start=old[0])
    was, now = (last_printed(m.whole.output) if m.whole else None for m in (before, after))
    if was is None or now is None:
        message = "The programs print no number; name one with --metric 'final loss = {}'."
        return VerifyCheck(name=METRIC, outcome="not-applicable", message=message)
    return _compared("last number printed", was, now, is_higher_better, is_named=False)


def _compared(
    name: str, old: float, new: float, is_higher_better: bool, is_named: bool, start: float | None = None
) -> VerifyCheck:
    """A number that the user has named has to get better. Another has to keep most of what was gained since `start`:
    it need not be what the user is after, and a step size that suited the wrong gradient may not suit the right one.
    """
    numbers = [Number(label=f"{name}, before", value=old), Number(label=f"{name}, after", value=new)]
    digits = 6 if abs(new - old) < _LITTLE * max(abs(old), abs(new)) else 3
    told = f"{name}: {number(old, digits)} before, {number(new, digits)} after"
    gain = new - old if is_higher_better else old - new
    equal = (_EQUAL_NAMED if is_named else _EQUAL) * max(abs(old), abs(new))
    if math.isfinite(new) and (not math.isfinite(old) or gain > equal):
        return VerifyCheck(name=METRIC, outcome="passed", message=f"{told}.", numbers=numbers)
    if is_named:
        worse = "not better" if math.isfinite(new) else "not a number"
        return VerifyCheck(name=METRIC, outcome="failed", message=f"{told}; {worse}.", numbers=numbers)
    if start is not None and math.isfinite(start):
        gained = (old - start) if is_higher_better else (start - old)
        equal = max(equal, _MOST_LOST * gained)
    if math.isfinite(new) and gain >= -equal:
        return VerifyCheck(name=METRIC, outcome="passed", message=f"{told}; hardly worse.", numbers=numbers)
    message = (
        f"{told}: worse. The step size may have suited the wrong gradient; or this is not the number that matters, and "
        "--metric names the one that is."
    )
    return VerifyCheck(name=METRIC, outcome="undecided", message=message, numbers=numbers)


def metric_value(measured: Measured, metric: str | None) -> float | None:
    """The metric at the end of the run; without one the objective, or else the last number printed."""
    if measured.whole is None:
        return None
    if metric is not None:
        return last_match(metric, measured.whole.output)
    course = _course(measured)
    return course[-1] if course else last_printed(measured.whole.output)


def _course(measured: Measured) -> list[float]:
    if measured.whole is None or measured.recording is None:
        return []
    return objective_course(measured.whole, measured.recording)
