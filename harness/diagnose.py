"""The whole diagnosis on one page: record, judge every consumed gradient, look for causes, report."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from . import shrunk
from .assess import elements, reported
from .assess.gradients import Effort, assess
from .assess.settle import settle
from .assess.sharpen import sharpen
from .assess.verdict import parameter_reports, report_verdict, summary
from .attribute.engine import Attribution, attribute
from .attribute.laboratory import Laboratory, Treatment
from .blocked import blocked_report, why_blocked
from .execute.live import LiveSession
from .execute.session import ExecutionFailed, Limits, Session, Target
from .invocation import command_words
from .kinds import LOOKS, REMARKS, places, wrong_seed
from .options import VERSION, Options, UsageError
from .record.events import Recording
from .record.plan import Plan
from .schema import Cost, Environment, Finding, ProgramInfo, Report, Tool
from .trace.consumption import Consumptions
from .trace.source import Source

Progress = Callable[[str], None]


def live_session(target: Target, options: Options) -> LiveSession:
    """A session that runs the program as the options say."""
    return LiveSession(target, options.python, limits_of(options))


def limits_of(options: Options) -> Limits:
    """Bounds on every run, as the options say."""
    memory = int(options.max_memory_gib * 2**30) if options.max_memory_gib else None
    return Limits(options.timeout, memory, options.jobs, options.allow_writes, options.fork)


def diagnose(opened: AbstractContextManager[Session], options: Options, progress: Progress = lambda _: None) -> Report:
    """Judge the gradients that a program consumes, for example that of ``live_session(target, options)``.

    Raises:
        UsageError: the program cannot be started at all (no such interpreter, no Warp in it).
    """
    started = time.perf_counter()
    try:
        with opened as session:
            report = _record_and_judge(session, options, progress)
            executions = session.executions
    except ExecutionFailed as error:
        raise UsageError(f"{error}\n{error.detail}".strip()) from None
    cost = Cost(seconds=time.perf_counter() - started, executions=executions, peak_memory=_peak_memory())
    return report.model_copy(update={"cost": cost})


def _record_and_judge(session: Session, options: Options, progress: Progress) -> Report:
    try:
        recording = session.record(Plan(iterations=options.iterations), lambda: progress("recording"))
        if recording.outcome["status"] in ("OverrideError", "ProgramNotFound"):
            raise UsageError(recording.outcome["detail"].strip().splitlines()[-1].partition(": ")[2])
        return _judge(session, recording, options, progress)
    except ExecutionFailed as error:
        if error.reason not in ("crashed", "timeout"):
            raise
        worker = session.worker_info
        environment = Environment(python=worker["python"], platform=worker["platform"], warp=worker["warp"])
        return blocked_report(error, session.limits, environment, _program(session.target, 0))


def _judge(session: Session, recording: Recording, options: Options, progress: Progress) -> Report:
    target = session.target
    source = Source(recording, program_folder(target))
    environment = _environment(recording)
    program = _program(target, recording.outcome["iterations"])
    consumptions = Consumptions(recording)
    blocked = why_blocked(recording, consumptions, consumptions.parameters(), source, target.label)
    if blocked is not None:
        return Report(
            tool=Tool(version=VERSION), verdict="blocked", summary=blocked.message, environment=environment,
            program=program, failure=blocked, cost=Cost(seconds=0.0, executions=0),
        )  # fmt: skip
    lab = laboratory(session, recording, options, progress)
    parameters = parameter_reports(lab.assessment, source)
    attribution, remarks = Attribution(), list[Finding]()
    if options.causes:
        progress("causes")
        attribution = attribute(lab, LOOKS, options.budget)
        remarks = [finding for look in REMARKS for finding in look(lab)]
    seeds = wrong_seed.findings(lab, attribution.undone)
    if not seeds and attribution.mended is not None:
        seeds = wrong_seed.findings(attribution.mended, Treatment())
    verdict = report_verdict(parameters)
    spots = _blind_spots(lab)
    if verdict == "correct":
        spots += shrunk.blind_spots(session, options.iterations, options.full_seconds, source, progress)
    return Report(
        tool=Tool(version=VERSION),
        verdict=verdict,
        summary=summary(verdict, parameters),
        environment=environment,
        program=program,
        parameters=parameters,
        findings=[*attribution.findings, *seeds, *remarks],
        ruled_out=attribution.ruled_out,
        not_attributed=attribution.not_attributed,
        blind_spots=spots,
        reproduce=[_command(target, options)],
        cost=Cost(seconds=0.0, executions=0),
    )


def laboratory(
    session: Session, recording: Recording, options: Options, progress: Progress = lambda _: None
) -> Laboratory:
    """Every consumed gradient of a recording judged, and what experiments about them start from."""
    source = Source(recording, program_folder(session.target))
    consumptions = Consumptions(recording)
    # A run from the beginning costs seconds: one check may then take what is left of the budget.
    share = {} if session.can_fork else {"seconds_per_check": options.budget}
    effort = Effort(**share, seconds=options.budget, seed=options.seed)
    assessment = assess(session, recording, consumptions.parameters(), effort, progress)
    if options.elements:
        progress("elements")
        elements.locate(assessment, options.seed)
    settle(session, recording, assessment, progress)
    sharpen(session, recording, assessment, options.seed, progress)
    reported.apply(assessment)
    if options.elements:
        elements.acquit(assessment)
        elements.measure_each(assessment)
    return Laboratory(session, recording, consumptions, assessment, source, options.seed)


def program_folder(target: Target) -> str:
    """Folder that places are shown relative to."""
    return str(Path(target.cwd, target.script).resolve().parent) if target.script else target.cwd


def _environment(recording: Recording) -> Environment:
    fields = ("python", "platform", "warp", "numpy", "torch", "device")
    return Environment(**{name: recording.environment[name] for name in fields})


def _program(target: Target, iterations: int) -> ProgramInfo:
    return ProgramInfo(
        script=target.script or str(target.module),
        argv=target.argv,
        overrides=target.overrides,
        iterations_observed=iterations,
    )


def _command(target: Target, options: Options) -> str:
    words = [f"--set={name}={value}" for name, value in target.overrides.items()]
    words += ["--python", options.python] if options.python != sys.executable else []
    words += ["--iterations", str(options.iterations)] if options.iterations != Options.iterations else []
    words += ["--elements"] if options.elements else []
    words += [target.script] if target.script else ["-m", str(target.module)]
    if target.argv:
        words += ["--", *target.argv]
    return shlex.join([*command_words(), *words])


def _peak_memory() -> int | None:
    """Bytes, of the largest process that has run and ended."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit or None


def _blind_spots(lab: Laboratory) -> list[str]:
    recording, spots = lab.recording, []
    for read in lab.consumptions.kept_over():
        where = places.where(places.of_site(lab, read.site))
        spots.append(
            f"Iteration {read.iteration} updates `{lab.source.name(read.info['parameter'])}` without a backward pass "
            f"of its own{where}: the gradient is that of earlier values, and was not judged against the new ones."
        )
    spots += wrong_seed.blind_spots(lab)
    if any(e.kind == "capture" and e.name == "opaque-launch" for e in recording.events):
        spots.append("A captured graph that was loaded from a file was launched; what it does is not recorded.")
    if recording.outcome["status"] == "timeout":
        spots.append("The program was stopped at the time limit; later iterations were not seen.")
    if recording.outcome["status"] == "error":
        spots.append("The program raised an exception after the iterations judged here.")
    if not lab.assessment.is_deterministic:
        spots.append("The program is random from run to run; each gradient was judged in the very run it came from.")
    return spots
