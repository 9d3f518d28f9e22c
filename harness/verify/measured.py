"""All that is measured of one of the two programs, in one session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..diagnose import diagnose, limits_of, program_folder
from ..execute.session import ExecutionFailed
from ..options import Options, UsageError
from ..record.events import Recording
from ..record.plan import Plan
from ..schema import Report
from ..trace.consumption import Consumptions
from ..trace.source import Source
from .elsewhere import Elsewhere, Start, other_values, starts, writes
from .forward import Forward, first_objective, measure_forward
from .programs import Program
from .settings import VerifySettings
from .whole_run import WholeRun, run_to_end

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Other:
    """The program started from other parameter values."""

    objective: float | None
    """Of the first iteration; None if it has no loss, or did not get there."""
    report: Report | None
    """None if its gradient was not judged."""
    values: Sequence[tuple[Start, np.ndarray]] = ()
    """What every parameter started from."""


@dataclass(frozen=True)
class Measured:
    """One program."""

    program: Program
    report: Report
    recording: Recording | None = None
    starts: Sequence[Start] = ()
    forward: Forward = field(default_factory=Forward)
    others: Sequence[Other] = ()
    whole: WholeRun | None = None
    executions: int = 0

    @property
    def is_blocked(self) -> bool:
        """True if it did not get to a gradient."""
        return self.report.verdict == "blocked"

    @property
    def is_random(self) -> bool:
        """True if its runs differ from each other."""
        return any(spot.startswith("The program is random") for spot in self.report.blind_spots)

    @property
    def files_used(self) -> set[str]:
        """Files of the user's that the recording names, relative to the folder of the script."""
        if self.recording is None:
            return set()
        source = Source(self.recording, program_folder(self.program.target))
        named = {file for site in self.recording.sites for file, _, _ in site}
        named |= {str(k["file"]) for k in self.recording.environment["kernels"].values() if k["file"]}
        relative = {source.relative(file) for file in named if source.is_users(file)}
        return {file for file in relative if not Path(file).is_absolute()}


def measure(
    program: Program,
    settings: VerifySettings,
    options: Options,
    like: Measured | None,
    wants_gradients: Callable[[Report], bool],
    progress: Progress,
) -> Measured:
    """Measure a program.

    Args:
        like: the program before the fix, whose other values this one takes over.
        wants_gradients: whether the gradient is judged at other values too, given the report at the values as written.
    """
    target = program.target
    with Elsewhere(target, options.python, limits_of(options)) as session:
        report = diagnose(nullcontext(session), options, progress)
        recording = session.first
        if report.verdict == "blocked" or recording is None:
            return Measured(program, report, executions=session.executions)
        traces = Consumptions(recording).parameters()
        progress("parameter values")
        found = starts(session, recording, traces, program_folder(target))
        forward = measure_forward(session, recording, traces, found[0]) if found else Forward()
        judged = wants_gradients(report)
        others = []
        for number, values in enumerate(_values(found, like, settings.other_values)):
            session.starts = writes(session, values, str(number))
            others.append(replace(_started_elsewhere(session, options, judged, progress), values=values))
        session.starts = ()
        progress("run to the end")
        whole = run_to_end(session) if settings.run_to_end else None
        return Measured(program, report, recording, found, forward, others, whole, session.executions)


def _started_elsewhere(session: Elsewhere, options: Options, is_judged: bool, progress: Progress) -> Other:
    session.first = None
    report = None
    try:
        if is_judged:
            fewer = replace(options, iterations=1, causes=False)
            report = diagnose(nullcontext(session), fewer, lambda s: progress(f"other values, {s}"))
        else:
            progress("other values")
            session.record(Plan(iterations=1))
    except (ExecutionFailed, UsageError):
        return Other(None, report)
    recording = session.first
    return Other(first_objective(recording, session) if recording is not None else None, report)


def _values(found: Sequence[Start], like: Measured | None, count: int) -> list[list[tuple[Start, np.ndarray]]]:
    """Sets of other values; a parameter that stands in both programs has the same values in both."""
    counterparts = match(like.starts, found) if like is not None else {}
    sets = []
    for seed in range(1, count + 1):
        values = []
        for index, start in enumerate(found):
            original = counterparts.get(index)
            model = like.starts[original] if like is not None and original is not None else start
            values.append((start, other_values(model, seed, index if original is None else original)))
        sets.append(values)
    return sets


def match(before: Sequence[Start], after: Sequence[Start]) -> dict[int, int]:
    """For parameters of the second program, by index, the parameter of the first that each stands for.

    By name first, then in order; the shapes have to agree.
    """
    pairs: dict[int, int] = {}
    for by_name in (True, False):
        for new, start in enumerate(after):
            for old, model in enumerate(before):
                is_free = new not in pairs and old not in pairs.values()
                is_alike = model.contents.shape == start.contents.shape and (not by_name or model.name == start.name)
                if is_free and is_alike:
                    pairs[new] = old
    return pairs
