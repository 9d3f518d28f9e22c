"""What a program really does: the gradients it consumes, at which parameter values, and what it prints.

The harness's recorder is used to watch the program; nothing here asks the harness for an opinion. Programs run in forks
of one worker, from the folder they are in, and their writes go to a scratch overlay.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import numpy as np

from evals.case import Case, Parameter
from evals.truth import Array
from harness.execute.live import LiveSession
from harness.execute.session import ExecutionFailed, Limits, Target
from harness.record.events import Recording, load
from harness.record.plan import Plan, Write
from harness.trace.consumption import Backward, Consumption, Consumptions, ParameterTrace
from harness.trace.source import Source

Contents = dict[str, Array]
Key = tuple[str, int]
"""A parameter of the reference, and an iteration."""


@dataclass
class Point:
    """One iteration of a program."""

    iteration: int
    parameters: Contents
    """Values by the reference's names; one is missing if the program stopped before it was used."""
    gradients: dict[str, Array | None]
    """None: the program consumes no gradient for it."""
    loss: float | None
    """Sum of the losses that backward runs on; None with manual seeds."""


@dataclass
class Measurement:
    """The first iterations of a program, from given or changed parameter values."""

    points: list[Point] = field(default_factory=list)
    printed: str = ""
    failure: str = ""
    """Why there is nothing, or less than there should be."""

    def initial(self) -> Contents:
        """Parameter values at iteration 0."""
        return self.points[0].parameters if self.points else {}


@dataclass(frozen=True)
class FullRun:
    """The program from beginning to end."""

    printed: str
    failure: str
    seconds: float


class Bench:
    """Runs programs; a context manager. One interpreter with Warp loaded serves all of them."""

    def __init__(self, python: str = sys.executable, seconds: float = 120.0) -> None:
        self._cwd = tempfile.TemporaryDirectory(prefix="evals-bench-")
        self._python, self._seconds = python, seconds
        self._session = self._new_session()
        self._has_failed = False
        self._known: tuple[Case, Path, Recording] | None = None

    def __enter__(self) -> Bench:
        self._session.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()
        self._cwd.cleanup()

    def _new_session(self) -> LiveSession:
        target = Target("none.py", None, (), self._cwd.name)
        return LiveSession(target, self._python, Limits(seconds=self._seconds, jobs=1))

    def _ready(self, case: Case, folder: Path) -> None:
        """Point the session at a program; a worker that died since is replaced."""
        if self._has_failed:
            self._session.close()
            self._session = self._new_session()
            self._session.__enter__()
            self._has_failed = False
        self._session.target = Target(case.entry, None, case.argv, str(folder))

    def _failure(self, error: ExecutionFailed) -> str:
        self._has_failed = error.reason not in ("crashed", "timeout")
        return f"{error} {error.detail}".strip()

    @property
    def warp_version(self) -> str:
        """Version of Warp that programs run with."""
        return str(self._session.worker_info["warp"])

    def run(self, case: Case, folder: Path) -> FullRun:
        """Run the whole program of a case as it lies in ``folder``."""
        self._ready(case, folder)
        plan = Plan(level="light", iterations=10**9, max_idle_backwards=10**9)
        try:
            recording = self._session.record(plan)
        except ExecutionFailed as error:
            return FullRun(_printed(plan), self._failure(error), 0.0)
        status, detail = recording.outcome["status"], recording.outcome["detail"]
        is_complete = status == "completed" or (status == "exit" and detail == "0")
        failure = "" if is_complete else f"the program ended with {status}: {_last_line(detail)}"
        return FullRun(_printed(plan), failure, float(recording.outcome["seconds"]))

    def measure(self, case: Case, folder: Path, start: Mapping[str, Array] | None = None) -> Measurement:
        """Watch the first iterations of the program of a case as it lies in ``folder``.

        Args:
            start: values that parameters get just before their first use, by the reference's names.
        """
        self._ready(case, folder)
        try:
            recording = self._recording(case, folder)
            plan = Plan(iterations=case.truth.iterations, writes=self._writes(case, recording, folder, start or {}))
            return self._paused(case, folder, recording, plan)
        except ExecutionFailed as error:
            return Measurement(failure=self._failure(error))

    def _recording(self, case: Case, folder: Path) -> Recording:
        """The program as it stands; kept for the next question about a folder that nobody changes meanwhile."""
        if self._known is None or self._known[:2] != (case, folder):
            self._known = (case, folder, self._session.record(Plan(iterations=case.truth.iterations)))
        return self._known[2]

    def _writes(self, case: Case, recording: Recording, folder: Path, start: Mapping[str, Array]) -> list[Write]:
        writes = []
        for spec, trace in _traces(case, recording, folder).items():
            if spec.name in start and trace is not None and trace.consumptions[0].iteration == 0:
                first = trace.consumptions[0]
                file = self._session.scratch / f"start-{spec.name}.npy"
                np.save(file, start[spec.name])
                writes.append(Write(first.pause, first.buffer, str(file)))
        return writes

    def _paused(self, case: Case, folder: Path, recording: Recording, plan: Plan) -> Measurement:
        """Run once more, pausing where each parameter is first used, to read its values there.

        Where that is comes from an earlier recording. From other values a program may take another course (a line
        search does); then it is run again with the pauses of that course.
        """
        for _ in range(2):
            consumed = _consumed(case, recording, folder)
            if not consumed:
                return Measurement(failure=_why_nothing(recording))
            plan.pauses = sorted({c.pause for c in consumed.values()})
            values, after = self._values(plan, consumed)
            if after is None:
                return Measurement(failure="the program did not come through when it was run again")
            recording = after
            now = _consumed(case, recording, folder)
            if _course(now) == _course(consumed):
                return Measurement(_points(case, now, values), _printed(plan))
        return Measurement(failure="the program takes another course each time it is run")

    def _values(self, plan: Plan, consumed: Mapping[Key, Consumption]) -> tuple[dict[Key, Array], Recording | None]:
        values: dict[Key, Array] = {}
        run = self._session.start(plan)
        try:
            while (message := run.wait(self._session.limits.seconds)) is not None and message["type"] == "paused":
                for key, consumption in consumed.items():
                    contents = run.contents(consumption.buffer) if consumption.pause == message["event"] else None
                    if contents is not None:
                        values[key] = self._written(plan, consumption, contents)
                run.resume()
        finally:
            run.close()
        is_written = (Path(plan.out) / "recording.json").exists()
        return values, load(plan.out) if is_written else None

    def _written(self, plan: Plan, consumption: Consumption, contents: Array) -> Array:
        """The contents once the writes of this event are done, in case the pause comes before them."""
        for write in plan.writes:
            if write.event == consumption.pause and write.buffer == consumption.buffer:
                return np.asarray(np.load(write.file), dtype=np.float64).reshape(contents.shape)
        return contents.astype(np.float64)


def unseen(case: Case, initial: Mapping[str, Array], seed: int) -> Contents:
    """Parameter values near the initial ones, from a seed, exact in float32."""
    random = np.random.default_rng(seed)
    changed = {}
    for spec in case.parameters:
        x = initial.get(spec.name)
        if x is None:
            continue
        size = np.maximum(np.abs(x), max(float(np.sqrt(np.mean(x * x))), 1e-3))
        step = random.choice((-1.0, 1.0), x.shape) * random.uniform(0.4, 1.0, x.shape)
        changed[spec.name] = np.clip(x + spec.spread * size * step, spec.low, spec.high).astype(np.float32)
    return changed


def number(pattern: str, printed: str, take: str = "last", better: str = "lower") -> float | None:
    """The number that a text prints in a pattern; None if it does not."""
    digits = r"([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf))"
    # Runs of blanks match any run of blanks: programs pad their columns.
    text = re.sub(r"(?:\\ )+", r"\\s+", re.escape(pattern))
    text = text.replace(re.escape("{_}"), digits.replace("(", "(?:", 1)).replace(re.escape("{}"), digits)
    found = [float(m if isinstance(m, str) else m[0]) for m in re.findall(text, printed)]
    if not found:
        return None
    if take == "best":
        return min(found) if better == "lower" else max(found)
    return found[-1] if take == "last" else found[0]


def _traces(case: Case, recording: Recording, folder: Path) -> dict[Parameter, ParameterTrace | None]:
    """For each parameter of the reference the array of the program."""
    source = Source(recording, str((folder / case.entry).parent))
    left = Consumptions(recording).parameters()
    found: dict[Parameter, ParameterTrace | None] = {}
    for spec in case.parameters:
        fitting = [t for t in left if tuple(recording.buffers[t.buffers[0]]["shape"]) in _shapes(spec)]
        named = [t for t in fitting if source.name(t.buffers[0]) in (spec.names or (spec.name,))]
        located = [t for t in named or fitting if spec.location and _location(source, t) == spec.location]
        chosen = next(iter(located or named or fitting), None)
        found[spec] = chosen
        left = [t for t in left if t is not chosen]
    return found


def _consumed(case: Case, recording: Recording, folder: Path) -> dict[Key, Consumption]:
    """Every consumption of a parameter of the reference."""
    traces = _traces(case, recording, folder)
    return {(spec.name, c.iteration): c for spec, trace in traces.items() if trace for c in trace.consumptions}


def _course(consumed: Mapping[Key, Consumption]) -> dict[Key, tuple[int, str]]:
    return {key: (c.pause, c.buffer) for key, c in consumed.items()}


def _points(case: Case, consumed: Mapping[Key, Consumption], values: Mapping[Key, Array]) -> list[Point]:
    points: list[Point] = []
    for iteration in range(case.truth.iterations):
        here = {name: c for (name, i), c in consumed.items() if i == iteration}
        if not here:
            break
        known = {name: values[name, iteration] for name in here if (name, iteration) in values}
        # A parameter whose gradient nobody asks for keeps the values it had.
        before = points[-1].parameters if points else {}
        gradients = {p.name: (here[p.name].gradient if p.name in here else None) for p in case.parameters}
        points.append(Point(iteration, {**before, **known}, gradients, _loss(list(here.values()))))
    return points


def _why_nothing(recording: Recording) -> str:
    outcome = recording.outcome
    why = f" It ended with {outcome['status']}: {_last_line(outcome['detail'])}" if outcome["detail"] else ""
    return f"The program consumes the gradient of none of the parameters.{why}"


def _shapes(spec: Parameter) -> set[tuple[int, ...]]:
    """The shape in numpy, and those that Warp may call it: without the axes of a vector or a matrix."""
    return {spec.shape, spec.shape[:-1], spec.shape[:-2]}


def _location(source: Source, trace: ParameterTrace) -> str:
    place = source.place(source.recording.buffers[trace.buffers[0]]["site"])
    return f"{source.relative(place.file)}:{place.line}" if place else ""


def _loss(consumptions: list[Consumption]) -> float | None:
    """Losses of one iteration, each once; a buffer that carries on from one backward pass to the next counts last."""
    backwards: dict[int, Backward] = {b.ordinal: b for c in consumptions for b in c.backwards}
    values: dict[tuple[str, int], float] = {}
    previous: dict[str, tuple[tuple[str, int], float]] = {}
    for _, backward in sorted(backwards.items()):
        if backward.loss is None:
            if backward.has_own_seed and not all(s.is_chained for s in backward.seeds):
                return None
            continue
        buffer, amount = str(backward.loss["buffer"]), float(backward.loss["value"])
        key = (buffer, int(backward.loss["last_write"]))
        if buffer in previous and backward.loss["accumulates"]:
            before, before_value = previous[buffer]
            if before != key and float(backward.loss["first_value"]) == before_value:
                values.pop(before, None)
        values[key] = amount
        previous[buffer] = (key, amount)
    return sum(values.values()) if values else None


def _printed(plan: Plan) -> str:
    file = Path(plan.out) / "stdout.txt"
    return file.read_text(errors="replace") if plan.out and file.exists() else ""


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]
