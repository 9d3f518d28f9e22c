"""Experiments: the program again with interventions on, judged with the differences already taken."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..assess.evaluator import Evaluator
from ..assess.gradients import FULL_BUDGET, Assessment, Judged
from ..execute.session import ExecutionFailed, Session
from ..measure import ArrayCheck, Budget, Problem, check_array, distance, is_grossly_wrong
from ..record.events import Event, Recording, Touch
from ..record.plan import Plan, Write
from ..trace.consumption import Consumption, Consumptions
from ..trace.source import Source

Settings = dict[str, Any]


@dataclass(frozen=True)
class Treatment:
    """What is undone: changes to how the gradient is computed, and links held fixed while differences are taken."""

    interventions: tuple[str, ...] = ()
    """Settings of interventions in the program, each as canonical JSON."""
    frozen: tuple[tuple[int, int], ...] = ()
    """(event, index of the touch) whose contents are held in every perturbed run."""
    held: tuple[str, ...] = ()
    """Settings of further interventions in every perturbed run, each as canonical JSON."""
    after_read: bool = False
    """The gradient as it was when read, not as the update found it."""
    from_start: bool = False
    """Interventions in every iteration, as a mended program would have it; else from the judged iteration on, so that
    what the program did before is its own.
    """

    @property
    def holds_links(self) -> bool:
        """True if differences are taken with a link between parameter and objective held fixed."""
        return bool(self.frozen or self.held)

    def joined(self, other: Treatment) -> Treatment:
        """Both at once; the same whichever comes first."""
        return Treatment(
            tuple(sorted({*self.interventions, *other.interventions})),
            tuple(sorted({*self.frozen, *other.frozen})),
            tuple(sorted({*self.held, *other.held})),
            self.after_read or other.after_read,
            self.from_start or other.from_start,
        )


def treatment(
    *interventions: Settings,
    frozen: tuple[tuple[int, int], ...] = (),
    held: tuple[Settings, ...] = (),
    after_read: bool = False,
) -> Treatment:
    """A treatment from intervention settings."""
    return Treatment(_canonical(interventions), frozen, _canonical(held), after_read)


def _canonical(settings: tuple[Settings, ...]) -> tuple[str, ...]:
    return tuple(json.dumps(s, sort_keys=True) for s in settings)


@dataclass
class Laboratory:
    """Everything the kinds look at, and the experiments they ask for. Answers are remembered."""

    session: Session
    recording: Recording
    consumptions: Consumptions
    assessment: Assessment
    source: Source
    seed: int
    is_mended: bool = False
    """Every run has other causes undone already."""
    has_parameters: bool = True
    """False where what was judged are the arrays in which severed links end: no optimizer updates them."""
    experiments: int = 0
    nonfinite_under: tuple[int, list[Settings]] | None = None
    """In a view of the program under interventions: the iteration whose gradient is not finite, and the
    interventions.
    """
    _gradients: dict[Any, np.ndarray | None] = field(default_factory=dict)
    _checks: dict[Any, ArrayCheck] = field(default_factory=dict)
    _glances: dict[Any, bool] = field(default_factory=dict)
    _evaluators: dict[Any, Evaluator | None] = field(default_factory=dict)
    _recordings: dict[Any, Recording | None] = field(default_factory=dict)

    # --- reading the recording --------------------------------------------------------------------------------
    @property
    def events(self) -> list[Event]:
        """All events, in order."""
        return self.recording.events

    def event(self, seq: int) -> Event:
        """One event by its number: the operation itself, not an adjoint that runs under the same number."""
        return self.recording.event(seq)

    def disagreements(self) -> list[Judged]:
        """Checks whose gradient is wrong: first iteration first, and there the worst gradient, which shows most."""
        wrong = [
            j
            for j in self.assessment.judged
            if j.check.status == "disagrees" and j.check.confidence == "measured" and j.reported is None
        ]
        return sorted(wrong, key=lambda j: (j.consumption.iteration, -distance(j.check.ratio)))

    @property
    def parameters(self) -> set[str]:
        """Buffers of all parameters that were judged."""
        return set() if not self.has_parameters else {b for j in self.assessment.judged for b in j.trace.buffers}

    def touches_of(self, buffer: str, iteration: int | None = None) -> list[tuple[Event, Touch]]:
        """Every touch of one buffer, in order."""
        return [
            (e, t) for e in self.events if iteration is None or e.iteration == iteration
            for t in e.touches if t.buffer == buffer
        ]  # fmt: skip

    # --- experiments --------------------------------------------------------------------------------------------
    def check(self, judged: Judged, applied: Treatment) -> ArrayCheck | None:
        """The check of one gradient under a treatment; None if the program does not get there under it."""
        key = _key(judged, applied)
        if key not in self._checks:
            subject = self._subject(judged, applied)
            if subject is None:
                return None
            evaluator, problem = subject
            if applied.holds_links:
                problem = replace(problem, baseline=evaluator.repeats(1)[0])
            seed = self.seed + judged.consumption.iteration
            self._checks[key] = check_array(evaluator, problem, seed, Budget(FULL_BUDGET))
        return self._checks[key]

    def agrees(self, judged: Judged, applied: Treatment) -> bool:
        """True if one gradient is right under a treatment."""
        if self._is_grossly_wrong(judged, applied):
            return False
        check = self.check(judged, applied)
        return check is not None and check.is_agreement

    def mended(self, judged: Judged, applied: Treatment) -> Judged | None:
        """One gradient as it is, or as it would be, where it is right under a treatment; None where it is not."""
        if judged.problem is None or judged.check.status != "disagrees":
            return judged
        for tried in (applied, replace(applied, from_start=True)):
            if self.agrees(judged, tried):
                check, subject = self.check(judged, tried), self._subject(judged, tried)
                assert check is not None
                assert subject is not None
                return replace(judged, check=check, evaluator=subject[0], problem=subject[1])
        return None

    def _is_grossly_wrong(self, judged: Judged, applied: Treatment) -> bool:
        """A glance saves most of the full checks: nearly all treatments leave the gradient far off."""
        key, usual = _key(judged, applied), self._resolved(judged)
        if key in self._checks or usual is None or usual.h is None or usual.half_width is None:
            return False
        if key not in self._glances:
            subject = self._subject(judged, applied)
            if subject is None:
                return False
            self._glances[key] = is_grossly_wrong(*subject, self.seed, usual.h, usual.half_width)
        return self._glances[key]

    def _resolved(self, judged: Judged) -> ArrayCheck | None:
        """A check along directions that move every element: where the gradient is not finite, one of a treated one."""
        if not judged.by_differences.nonfinite_count:
            return judged.by_differences
        own = (judged.consumption.buffer, judged.consumption.iteration)
        known = (c for (*which, applied), c in self._checks.items() if tuple(which) == own and not applied.holds_links)
        return next((c for c in known if not c.nonfinite_count), None)

    def _subject(self, judged: Judged, applied: Treatment) -> tuple[Evaluator, Problem] | None:
        """The gradient under a treatment, and what to judge it by; None if the program does not get there under it."""
        gradient = self.gradient(judged, applied)
        evaluator = None if gradient is None else self._evaluator(judged, applied)
        if gradient is None or evaluator is None:
            return None
        assert judged.problem is not None
        return evaluator, replace(judged.problem, gradient=gradient)

    def mends(self, judged: Judged, applied: Treatment) -> bool:
        """True if one gradient is right under a treatment, perhaps only with it on in the iterations before, too."""
        if self.agrees(judged, applied):
            return True
        return _starts_earlier(judged, applied) and self.agrees(judged, replace(applied, from_start=True))

    def disagrees_from_start(self, judged: Judged, applied: Treatment) -> bool:
        """True if one gradient is wrong, as far as can be told, where the treatment was on in the iterations before."""
        if not _starts_earlier(judged, applied):
            return False
        mended = replace(applied, from_start=True)
        if self._is_grossly_wrong(judged, mended):
            return True
        check = self.check(judged, mended)
        return check is not None and check.status == "disagrees"

    def gradient(self, judged: Judged, applied: Treatment) -> np.ndarray | None:
        """The gradient that would be consumed under a treatment."""
        if not applied.interventions:
            return _as_read(self.recording, judged.consumption) if applied.after_read else judged.consumption.gradient
        buffer, iteration = judged.consumption.buffer, judged.consumption.iteration
        key = (applied.interventions, applied.after_read, applied.from_start, iteration)
        if (key, buffer) not in self._gradients:
            for found, gradient in self._record(applied, iteration).items():
                self._gradients[(key, found)] = gradient
            self._gradients.setdefault((key, buffer), None)
        return self._gradients[(key, buffer)]

    def changes(self, judged: Judged, held: Treatment, applied: Treatment) -> bool:
        """Whether a treatment, on top of what is held already, gives another gradient."""
        before, after = self.gradient(judged, held), self.gradient(judged, held.joined(applied))
        if before is None or after is None or before.shape != after.shape:
            return False
        scale = max(float(np.nanmax(np.abs(before), initial=0.0)), float(np.nanmax(np.abs(after), initial=0.0)))
        with np.errstate(invalid="ignore"):
            return not np.allclose(before, after, rtol=1e-4, atol=1e-5 * scale, equal_nan=True)

    def _record(self, applied: Treatment, iteration: int) -> dict[str, np.ndarray]:
        """Consumed gradients of one iteration of a run under interventions."""
        recording = self._treated(applied, iteration, iteration + 1)
        found: dict[str, np.ndarray] = {}
        if recording is None:
            return found
        for trace in Consumptions(recording).parameters():
            for consumption in trace.consumptions:
                if consumption.iteration == iteration:
                    as_read = applied.after_read
                    found[consumption.buffer] = _as_read(recording, consumption) if as_read else consumption.gradient
        return found

    def _treated(self, applied: Treatment, iteration: int, iterations: int) -> Recording | None:
        """A run under interventions; None if the program does not get through it."""
        key = (applied.interventions, applied.from_start, iteration, iterations)
        if key not in self._recordings:
            self.experiments += 1
            start = 0 if applied.from_start else iteration
            settings = [{**json.loads(i), "from_iteration": start} for i in applied.interventions]
            plan = Plan(iterations=iterations, interventions=settings, writes=self._parameters_at(iteration))
            try:
                self._recordings[key] = self.session.record(plan)
            except ExecutionFailed:
                self._recordings[key] = None
        return self._recordings[key]

    def _parameters_at(self, iteration: int) -> list[Write]:
        """Every parameter as the program itself had it: what the treatment made of earlier updates does not count."""
        writes: list[Write] = []
        for judged in self.assessment.judged if iteration else ():
            consumption = judged.consumption
            if consumption.iteration == iteration and judged.problem is not None:
                file = self.session.scratch / f"parameter-{consumption.pause}-{len(writes)}.npy"
                if not file.exists():
                    np.save(file, judged.problem.x)
                writes.append(Write(consumption.pause, consumption.buffer, str(file)))
        return writes

    def under(self, judged: Judged, applied: Treatment) -> Laboratory | None:
        """The same laboratory looking at a recording of all iterations under a treatment; None without one."""
        last = max(j.consumption.iteration for j in self.assessment.judged)
        recording = self._treated(applied, judged.consumption.iteration, last + 1)
        if recording is None:
            return None
        consumptions = Consumptions(recording)
        source = Source(recording, self.source.folder)
        view = replace(self, recording=recording, consumptions=consumptions, source=source)
        gradient = self.gradient(judged, applied)
        if gradient is not None and not np.all(np.isfinite(gradient)):
            settings = [json.loads(i) for i in applied.interventions]
            view.nonfinite_under = (judged.consumption.iteration, settings)
        return view

    def _evaluator(self, judged: Judged, applied: Treatment) -> Evaluator | None:
        """Evaluates the objective with the links of a treatment held; None if the program does not get there."""
        assert judged.evaluator is not None
        if not applied.holds_links:
            return judged.evaluator
        key = _key(judged, Treatment(frozen=applied.frozen, held=applied.held))
        if key not in self._evaluators:
            self._evaluators[key] = self._holding(judged, judged.evaluator, applied)
        return self._evaluators[key]

    def _holding(self, judged: Judged, evaluator: Evaluator, applied: Treatment) -> Evaluator | None:
        interventions = [json.loads(h) for h in applied.held]
        if applied.frozen:
            freeze = self._frozen(judged, applied)
            if freeze is None:
                return None
            interventions.append(freeze)
        objective = replace(judged.objective, interventions=interventions)
        return evaluator.for_objective(objective)

    def _frozen(self, judged: Judged, applied: Treatment) -> Settings | None:
        """Keep the contents of the frozen arrays in an unperturbed run; the setting that gives them to the others."""
        folder = str(self.session.scratch / f"frozen-{judged.consumption.iteration}-{len(self._evaluators)}")
        targets = [list(t) for t in applied.frozen]
        keep = Plan(
            iterations=judged.consumption.iteration + 1,
            interventions=[{"name": "freeze", "targets": targets, "folder": folder, "keep": True}],
        )
        self.experiments += 1
        try:
            self.session.record(keep)
        except ExecutionFailed:
            return None
        return {"name": "freeze", "targets": targets, "folder": folder}


def _starts_earlier(judged: Judged, applied: Treatment) -> bool:
    return bool(applied.interventions) and judged.consumption.iteration > 0


def _key(judged: Judged, applied: Treatment) -> tuple[str, int, Treatment]:
    return (judged.consumption.buffer, judged.consumption.iteration, applied)


def _as_read(recording: Recording, consumption: Consumption) -> np.ndarray:
    """The gradient as it was when the program read it."""
    contents: np.ndarray = recording.arrays[consumption.reads[-1].info["contents"]]
    return contents.astype(np.float64)
