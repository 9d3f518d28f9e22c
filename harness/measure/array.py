"""Judges the gradient of one parameter array with a number of runs that does not depend on its size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.measure import noise as noise_floor
from harness.measure import policy
from harness.measure.combine import Evidence, combine, needs_confirmation, undecided
from harness.measure.judge import Setting, judge
from harness.measure.noise import Noise, NoiseTable
from harness.measure.plan import Plan
from harness.measure.prober import Prober, Reading, points_of, rungs
from harness.measure.problem import Budget, Evaluate, Problem
from harness.measure.results import ArrayCheck, DirectionCheck, Kind, Rung
from harness.measure.space import Pair, Scaling, Space


@dataclass(frozen=True)
class Line:
    """A direction with its kind and the size of g.d along such directions."""

    kind: Kind
    direction: np.ndarray
    scale: float
    overall: float = 0.0


def check_array(evaluate: Evaluate, problem: Problem, seed: int, budget: Budget) -> ArrayCheck:
    """Judges `problem.gradient` by directional differences of the objective.

    Same seed, same requests in the same order. Batches: repeats, noise samples and the first ladder;
    all other directions; wider ladders where they are needed; confirmation of a disagreement.
    """
    baseline = problem.baseline
    if baseline.failure is not None or baseline.value is None or not math.isfinite(baseline.value):
        return undecided("domain_error", 0)
    if problem.x.size == 0:
        return ArrayCheck("independent", None, 0)
    if budget.max_evaluations < policy.MINIMUM_EVALUATIONS:
        return undecided("budget", 0)
    return Measurement(evaluate, problem, seed, budget).run()


class Measurement:
    """State of one array's check: what has been spent, the noise, the space in use."""

    def __init__(self, evaluate: Evaluate, problem: Problem, seed: int, budget: Budget) -> None:
        assert problem.baseline.value is not None
        self.problem = problem
        self.f0 = float(problem.baseline.value)
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.prober = Prober(evaluate, problem.baseline, budget.max_evaluations)
        self.plan = Plan.within(budget, problem.x.size, len(problem.repeats))
        self.space = Space(problem)
        self.steps = self.plan.steps
        self._setting: Setting | None = None

    def run(self) -> ArrayCheck:
        checks = self._attempt()
        scaling = _other_scaling(self.problem, checks)
        if scaling is not None and self.plan.has_extras and self.prober.remaining >= 3 * len(self.plan.steps) * 2:
            checks = self._rescaled(scaling, checks)
        evidence = Evidence(self.problem, checks, self.setting, self.prober.used, self.plan.directions)
        repeated = needs_confirmation(evidence)
        if repeated is not None and self.plan.has_extras:
            fresh = self._confirm(repeated, checks)
            evidence = replace(evidence, confirmation=fresh, evaluations=self.prober.used)
        return combine(evidence)

    def _attempt(self) -> list[DirectionCheck]:
        first = self._first_direction()
        return [first, *self._others(first)]

    def _rescaled(self, scaling: Scaling, checks: list[DirectionCheck]) -> list[DirectionCheck]:
        """Starts over with another scaling, and keeps the result if more directions are decided by it."""
        usual = self.space, self.steps
        self.space, self.steps = Space(self.problem, scaling), self.plan.steps
        other = self._attempt()
        if _decided(other) >= max(2, _decided(checks) + 1):
            return other
        self.space, self.steps = usual
        return checks

    @property
    def setting(self) -> Setting:
        assert self._setting is not None
        return self._setting

    # The first direction settles the noise, the step sizes and the scaling for all others.

    def _first_direction(self) -> DirectionCheck:
        line = self._random(0)
        pairs = self.space.ladder(line.direction, self.steps)
        if self._setting is None:
            ladder = self._with_noise(line, pairs)
        else:
            ladder = self.prober.ladders([pairs])[0]
        check = self._judge(line, ladder)
        return self._extended(line, check) if self.plan.has_extras else check

    def _with_noise(self, line: Line, pairs: list[Pair]) -> list[Rung]:
        """Repeats, noise samples and the first ladder in one batch; sets the noise for all directions."""
        width = noise_floor.first_width(self.problem.x.dtype, self.problem.objective_dtype)
        samples = self._samples(line, width) if self.plan.has_noise_table else []
        repeats = [self.problem.x.copy() for _ in range(self.plan.repeats)]
        readings = self.prober.read([*repeats, *samples, *points_of(pairs)])
        repeat_readings, readings = readings[: len(repeats)], readings[len(repeats) :]
        sample_readings, readings = readings[: len(samples)], readings[len(samples) :]
        ladder = rungs(pairs, readings)
        values = [*self.problem.repeats, *(r.value for r in repeat_readings if r.value is not None)]
        attempts = 1 if all(r.plus == self.f0 == r.minus for r in ladder) else policy.NOISE_ATTEMPTS
        floor = self._noise(line, width, sample_readings, values, attempts)
        self._setting = Setting(self.f0, floor, self.problem.rtol)
        return ladder

    def _samples(self, line: Line, width: float) -> list[np.ndarray]:
        return [self.space.at(line.direction, t) for t in noise_floor.offsets(width)]

    def _noise(
        self, line: Line, width: float, readings: Sequence[Reading], repeats: Sequence[float], attempts: int
    ) -> Noise:
        tables: list[NoiseTable] = []
        size = abs(self.f0)
        for attempt in range(attempts if readings else 0):
            if attempt:
                samples = self._samples(line, width)
                # The ladders decide; a better noise estimate must not starve them.
                if self.prober.remaining < len(samples) + self._reserve:
                    break
                readings = self.prober.read(samples)
            values = [r.value for r in readings if r.value is not None]
            if len(values) < len(readings):
                break
            size = max(size, *(abs(v) for v in values))
            half = len(values) // 2
            tables.append(noise_floor.difference_table([*values[:half], self.f0, *values[half:]]))
            if tables[-1].status == "found" or (attempt and tables[-1].status != tables[0].status):
                break
            width = noise_floor.next_width(width, tables[-1].status)
        spacing = policy.ulp(size, self.problem.objective_dtype)
        return noise_floor.floor(self.f0, repeats, tables, spacing, self.problem.terms)

    @property
    def _reserve(self) -> int:
        """Evaluations that the other directions need at least."""
        return 6 * (self.plan.directions - 1)

    def _extended(self, line: Line, check: DirectionCheck) -> DirectionCheck:
        """Adds coarser rungs where noise or a standstill hides the change, finer ones where truncation does."""
        still = sum(r.plus == self.f0 == r.minus for r in check.rungs if r.failure is None)
        usable = sum(r.failure is None for r in check.rungs)
        if (still >= 2 and still >= usable - 1) or _is_noisy(check, self.setting.rtol):
            return self._with_steps(line, check, policy.COARSE_STEPS)
        is_finest = check.h == min(self.steps) and not check.is_noise_limited
        if check.reason == "no_plateau" or (check.status == "disagrees" and is_finest):
            return self._with_steps(line, check, policy.FINE_STEPS)
        return check

    def _with_steps(self, line: Line, check: DirectionCheck, steps: Sequence[float]) -> DirectionCheck:
        """Judges again with more rungs, as far as the budget allows it."""
        if self.prober.remaining < 2 * len(steps) + self._reserve:
            return check
        more = self.prober.ladders([self.space.ladder(line.direction, steps)])[0]
        wider = self._judge(line, [*check.rungs, *more])
        self.steps = tuple(sorted({r.h for r in wider.rungs if r.failure is None}, reverse=True)) or self.steps
        return wider

    # Further directions, in one batch.

    def _others(self, first: DirectionCheck) -> list[DirectionCheck]:
        lines = [self._random(k) for k in range(1, self.plan.directions)]
        if self.plan.has_extras:
            lines += self._special_lines(first.scale)
        steps = self._steps_near(first)
        affordable = lines[: self.prober.remaining // (2 * len(steps))]
        ladders = self.prober.ladders([self.space.ladder(line.direction, steps) for line in affordable])
        checks = [self._judge(line, ladder) for line, ladder in zip(affordable, ladders, strict=True)]
        return self._escalated(affordable, checks)

    def _special_lines(self, overall: float) -> list[Line]:
        """Zero set and gradient direction, where they differ from random directions."""
        lines = []
        zero_set = self.space.zero_set()
        if zero_set is not None:
            lines.append(self._on_zero_set(zero_set, overall))
        if self.problem.x.size > 1 and self.space.is_finite.all() and self.space.gradient.any():
            lines.append(self._along_gradient())
        return lines

    def _steps_near(self, first: DirectionCheck) -> tuple[float, ...]:
        """Three rungs around the best one of a decided direction, the whole ladder otherwise."""
        steps = self.steps
        if first.status == "undecided" or first.shape in ("staircase", "flat") or first.h is None:
            # Still at fine steps: the moving rungs and two of the others show as much as all of them.
            is_still = first.status == "agrees" and first.measured == 0.0 and len(steps) > 5
            return (
                (*steps[:3], *steps[-2:])
                if is_still and first.shape == "staircase"
                else ((steps[0], steps[len(steps) // 2], steps[-1]) if is_still else steps)
            )
        best = steps.index(first.h)
        start = min(max(best - 1, 0), max(len(steps) - 3, 0))
        return steps[start : start + 3]

    def _escalated(self, lines: Sequence[Line], checks: list[DirectionCheck]) -> list[DirectionCheck]:
        """Measures the rungs left out so far where three did not decide."""
        missing = {
            k: [h for h in self.steps if h not in {r.h for r in check.rungs}]
            for k, check in enumerate(checks)
            if check.status == "undecided" and check.kind != "zero-set"
        }
        cost = 2 * sum(len(steps) for steps in missing.values())
        if cost == 0 or cost > self.prober.remaining or not self.plan.has_extras:
            return checks
        more = self.prober.ladders([self.space.ladder(lines[k].direction, steps) for k, steps in missing.items()])
        judged = list(checks)
        for k, ladder in zip(missing, more, strict=True):
            judged[k] = self._judge(lines[k], [*checks[k].rungs, *ladder])
        return judged

    def _confirm(self, kind: Kind, checks: Sequence[DirectionCheck]) -> list[DirectionCheck]:
        """Two fresh directions of the kind that disagreed.

        Along a random one a scale error may be small by chance; where the gradient direction shows
        the error, a fresh one of its kind takes the place of the second.
        """
        model = next(c for c in checks if c.kind == kind and c.status == "disagrees")
        zero_set = self.space.zero_set()
        if kind == "zero-set" and zero_set is not None:
            lines = [self._on_zero_set(zero_set, model.scale) for _ in range(2)]
        elif kind == "gradient":
            lines = [self._along_gradient() for _ in range(2)]
        elif any(c.kind == "gradient" and c.status == "disagrees" for c in checks):
            lines = [self._random(0), self._along_gradient()]
        else:
            lines = [self._random(k) for k in range(2)]
        steps = self._steps_near(model)
        lines = lines[: self.prober.remaining // (2 * len(steps))]
        ladders = self.prober.ladders([self.space.ladder(line.direction, steps) for line in lines])
        fresh = [self._judge(line, ladder) for line, ladder in zip(lines, ladders, strict=True)]
        return self._escalated(lines, fresh)

    # Lines.

    def _random(self, number: int) -> Line:
        """A random direction; where the gradient is not finite, one that moves just those elements."""
        finite = self.space.is_finite
        direction = self.space.signs(self.rng, number, None if finite.all() else ~finite)
        return Line("random", direction, self.space.scale(direction))

    def _on_zero_set(self, mask: np.ndarray, overall: float) -> Line:
        return Line("zero-set", self.space.signs(self.rng, 0, mask), 0.0, overall)

    def _along_gradient(self) -> Line:
        direction = self.space.along_gradient(self.rng)
        return Line("gradient", direction, abs(float(np.sum(self.space.gradient * direction))))

    def _judge(self, line: Line, ladder: Sequence[Rung]) -> DirectionCheck:
        return judge(line.kind, ladder, line.scale, self.setting, line.overall)


def _is_noisy(check: DirectionCheck, rtol: float) -> bool:
    """Noise, not truncation, is what limits this direction."""
    if check.reason in ("noise_floor", "noise_unknown", "nondeterministic"):
        return True
    is_limiting = check.is_noise_limited and (check.visible_error or 0.0) > rtol
    return is_limiting and (check.status == "agrees" or check.reason == "borderline")


def _decided(checks: Sequence[DirectionCheck]) -> int:
    return sum(c.status != "undecided" for c in checks if c.kind == "random")


def _other_scaling(problem: Problem, checks: Sequence[DirectionCheck]) -> Scaling | None:
    """Another notion of typical sizes, when directions are undecided and the contents suggest one."""
    open_checks = [c for c in checks if c.status == "undecided" and c.kind == "random"]
    if not open_checks or problem.manifold is not None:
        return None
    magnitude = np.abs(problem.x.astype(np.float64))
    rms = float(np.sqrt(np.mean(magnitude**2)))
    if all(_is_noisy(c, 0.0) for c in open_checks):
        return "unit" if rms < 0.05 else None
    smallest = float(magnitude[magnitude > 0.0].min(initial=np.inf))
    return "elementwise" if smallest < 0.03 * max(rms, policy.FLOOR) else None
