"""The whole verification on one page: both gradients, both forward passes, both runs, and what was edited."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, replace
from pathlib import Path

from ..execute.session import ExecutionFailed
from ..invocation import command_words
from ..options import VERSION, Options, UsageError
from ..schema import Cost, ProgramNumbers, Report, Tool, Verification, VerificationVerdict, VerifyCheck
from .constants import ConstantChanges, compare_constants, constants_check
from .forward import OBJECTIVE
from .gradients import (
    RIGHT_AFTER,
    element_numbers,
    gradient_numbers,
    right_after,
    right_elsewhere,
    same_parameters,
    values_elsewhere,
    wrong_before,
)
from .measured import Measured, Progress, measure
from .metric import METRIC, metric_better, metric_value, pattern_of, same_effort, updates
from .programs import Program, programs
from .settings import VerifySettings
from .sources import FileChanges, compare_files
from .unchanged import files_kept, forward_unchanged


@dataclass(frozen=True)
class Investigation:
    """A verification with the reports it rests on."""

    verification: Verification
    before: Report
    after: Report


def verify(
    before: Path, after: Path, settings: VerifySettings | None = None, progress: Progress = lambda _: None
) -> Verification:
    """Whether the program `after` is a fix of the gradient of the program `before`; files or folders.

    Raises:
        UsageError: the programs cannot be started at all, or it is not clear what to run.
    """
    return investigate(before, after, settings, progress).verification


def investigate(
    before: Path, after: Path, settings: VerifySettings | None = None, progress: Progress = lambda _: None
) -> Investigation:
    """The same with the evidence; see `verify`."""
    settings = settings or VerifySettings()
    if settings.metric is not None:
        pattern_of(settings.metric)
    started = time.perf_counter()
    old_program, new_program = programs(before, after, settings)
    try:
        old = measure_before(old_program, settings, lambda stage: progress(f"before, {stage}"))
        new = measure_after(new_program, settings, old, lambda stage: progress(f"after, {stage}"))
    except ExecutionFailed as error:
        raise UsageError(f"{error}\n{error.detail}".strip()) from None
    return compare(old, new, settings, time.perf_counter() - started)


def measure_before(program: Program, settings: VerifySettings, progress: Progress = lambda _: None) -> Measured:
    """The program before, without a search for causes."""
    options = replace(settings.options, causes=False)
    return measure(program, settings, options, None, lambda report: True, progress)


def measure_after(
    program: Program, settings: VerifySettings, before: Measured, progress: Progress = lambda _: None
) -> Measured:
    """The program after, from the same values; where it is wrong still, with the causes."""
    return measure(program, settings, settings.options, before, lambda report: report.verdict != "wrong", progress)


def compare(old: Measured, new: Measured, settings: VerifySettings, seconds: float = 0.0) -> Investigation:
    """The verification of two measured programs."""
    files = compare_files(old.program.root, new.program.root, old.files_used | new.files_used)
    constants = compare_constants(files)
    checks = _checks(old, new, files, constants, settings)
    verdict = _verdict(checks, old, new)
    peaks = [m.report.cost.peak_memory for m in (old, new) if m.report.cost.peak_memory]
    verification = Verification(
        tool=Tool(version=VERSION),
        verdict=verdict,
        summary=_summary(checks, verdict),
        checks=checks,
        before=_numbers(old, settings),
        after=_numbers(new, settings),
        other_values=values_elsewhere(new),
        overrides=settings.overrides,
        constants_changed=constants.changes,
        files_added=files.added,
        files_deleted=files.deleted,
        files_changed=files.changed,
        diff=files.diff,
        reproduce=[_command(old.program, new.program, settings)],
        cost=Cost(seconds=seconds, executions=old.executions + new.executions, peak_memory=max(peaks, default=None)),
    )
    return Investigation(verification, old.report, new.report)


def _checks(
    old: Measured, new: Measured, files: FileChanges, constants: ConstantChanges, settings: VerifySettings
) -> list[VerifyCheck]:
    """In the order in which they are told."""
    return [
        wrong_before(old),
        right_after(old, new),
        right_elsewhere(new),
        same_parameters(old, new),
        forward_unchanged(old, new, settings.allow_changed_forward),
        same_effort(old, new, bool(constants.changes)),
        metric_better(old, new, settings.metric, settings.higher_is_better),
        constants_check(constants, new.report.verdict == "wrong"),
        files_kept(files, settings.allow_deleted),
    ]


def _verdict(checks: list[VerifyCheck], old: Measured, new: Measured) -> VerificationVerdict:
    if "blocked" in (old.report.verdict, new.report.verdict):
        return "blocked"
    failed = {c.name for c in checks if c.outcome == "failed"}
    if failed == {METRIC}:
        # The gradient is mended; that the run ends no better may have other causes, which only the user can weigh.
        return "undecided"
    if failed:
        return "refuted"
    return "undecided" if any(c.outcome == "undecided" for c in checks) else "verified"


def _summary(checks: list[VerifyCheck], verdict: VerificationVerdict) -> str:
    """The check that decides, the most telling first."""
    if verdict == "verified":
        return "The gradient was wrong before and is right after, and nothing else has changed for the worse."
    found = [c for c in checks if c.outcome == "failed"] or [c for c in checks if c.outcome == "undecided"]
    tuned = next((c for c in found if c.name.startswith("not a change")), None)
    if tuned is not None:
        return tuned.message
    is_right = any(c.name == RIGHT_AFTER and c.outcome == "passed" for c in checks)
    prefix = "The gradient is right now, but: " if is_right and found[0].name not in _OF_GRADIENTS else ""
    return f"{prefix}{found[0].message}"


_OF_GRADIENTS = ("gradient wrong before", "gradient right after", "gradient right from other values")


def _numbers(measured: Measured, settings: VerifySettings) -> ProgramNumbers:
    return ProgramNumbers(
        path=measured.program.given,
        script=measured.program.script,
        verdict=measured.report.verdict,
        summary=measured.report.summary,
        gradients=gradient_numbers(measured),
        elements=element_numbers(measured),
        findings=measured.report.findings,
        not_attributed=measured.report.not_attributed,
        objective=measured.forward.values.get(OBJECTIVE),
        updates=updates(measured),
        metric=metric_value(measured, settings.metric),
    )


def _command(before: Program, after: Program, settings: VerifySettings) -> str:
    """The command line that asks the same again."""
    default, options = Options(), settings.options
    words = ["verify", before.given, after.given]
    words += [f"--set={name}={value}" for name, value in settings.overrides.items()]
    for flag, value in (("--entry", settings.entry), ("-m", settings.module), ("--metric", settings.metric)):
        words += [flag, value] if value is not None else []
    for flag, is_on in (
        ("--higher-is-better", settings.higher_is_better),
        ("--allow-deleted", settings.allow_deleted),
        ("--allow-changed-forward", settings.allow_changed_forward),
        ("--no-run-to-end", not settings.run_to_end),
        ("--elements", options.elements),
    ):
        words += [flag] if is_on else []
    for flag, given, usual in (
        ("--python", options.python, default.python),
        ("--iterations", options.iterations, default.iterations),
        ("--values", settings.other_values, VerifySettings.other_values),
        ("--seed", options.seed, default.seed),
    ):
        words += [flag, str(given)] if given != usual else []
    if settings.argv:
        words += ["--", *settings.argv]
    return shlex.join([*command_words(), *words])
