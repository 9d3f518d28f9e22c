"""The whole verification on one page: both gradients, both forward passes, both runs, and what was edited."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..diagnose import diagnose, live_session
from ..options import VERSION
from ..schema import Cost, GradientNumbers, ProgramNumbers, Report, Tool, Verification, VerificationVerdict, VerifyCheck
from .gradients import right_after, wrong_before
from .programs import Program, programs
from .settings import VerifySettings
from .sources import compare_files

Progress = Callable[[str], None]


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
    started = time.perf_counter()
    old, new = programs(before, after, settings)
    files = compare_files(old.root, new.root)
    options = replace(settings.options, causes=False)
    old_report = diagnose(live_session(old.target, options), options, lambda s: progress(f"before, {s}"))
    new_report = diagnose(
        live_session(new.target, settings.options), settings.options, lambda s: progress(f"after, {s}")
    )
    checks = [wrong_before(old_report), right_after(new_report)]
    verdict = _verdict(checks, [old_report, new_report])
    verification = Verification(
        tool=Tool(version=VERSION),
        verdict=verdict,
        summary=_summary(checks, verdict),
        checks=checks,
        before=_numbers(old, old_report),
        after=_numbers(new, new_report),
        overrides=settings.overrides,
        files_added=files.added,
        files_deleted=files.deleted,
        files_changed=files.changed,
        diff=files.diff,
        cost=Cost(
            seconds=time.perf_counter() - started,
            executions=old_report.cost.executions + new_report.cost.executions,
            peak_memory=new_report.cost.peak_memory,
        ),
    )
    return Investigation(verification, old_report, new_report)


def _verdict(checks: list[VerifyCheck], reports: list[Report]) -> VerificationVerdict:
    if any(r.verdict == "blocked" for r in reports):
        return "blocked"
    outcomes = {c.outcome for c in checks}
    if "failed" in outcomes:
        return "refuted"
    return "undecided" if "undecided" in outcomes else "verified"


def _summary(checks: list[VerifyCheck], verdict: VerificationVerdict) -> str:
    decisive = {"refuted": "failed", "undecided": "undecided", "blocked": "failed"}.get(verdict)
    said = [c.message for c in checks if c.outcome == decisive]
    return said[0] if said else "The gradient was wrong before and is right after."


def _numbers(program: Program, report: Report) -> ProgramNumbers:
    return ProgramNumbers(
        path=program.given,
        script=program.script,
        verdict=report.verdict,
        summary=report.summary,
        gradients=[
            GradientNumbers(
                parameter=p.name, iteration=c.iteration, start="as written", autodiff=c.autodiff, measured=c.measured,
                interval=c.interval, ratio=c.ratio, verdict=c.verdict,
            )
            for p in report.parameters
            for c in p.checks
        ],
    )  # fmt: skip
