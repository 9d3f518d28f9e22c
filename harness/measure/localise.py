"""Finds the elements whose gradient is wrong, by bisection on blocks of the array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from harness.measure import noise as noise_floor
from harness.measure import policy
from harness.measure.combine import slope
from harness.measure.interval import Ladder, plateau
from harness.measure.judge import Setting, judge
from harness.measure.prober import Prober, points_of, rungs
from harness.measure.problem import Budget, Evaluate, Problem
from harness.measure.results import ArrayCheck, DirectionCheck, DirectionStatus
from harness.measure.space import Pair, Space

DRAWS = 2
"""Sign draws per block: one alone lets two faults cancel in 30 % of cases."""

MOST_ELEMENTS = 10
COMPONENTS = 16
"""A last axis up to this long holds components (x, y, z, ...), which faults tend to follow."""

DENSE_SHARE = 0.75
DENSE_BLOCKS = 16
"""A level needs this many blocks before "most respond" can only mean more than `MOST_ELEMENTS` faults."""


@dataclass(frozen=True)
class Block:
    """A box of the array: per axis the first index and the one past the last."""

    bounds: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        return math.prod(stop - start for start, stop in self.bounds)

    @property
    def slices(self) -> tuple[slice, ...]:
        return tuple(slice(start, stop) for start, stop in self.bounds)

    def split(self) -> Iterator[Block]:
        """Components of a short last axis first, then halves of the longest axis."""
        last = len(self.bounds) - 1
        start, stop = self.bounds[last]
        if last > 0 and 1 < stop - start <= COMPONENTS:
            yield from (self._with(last, (i, i + 1)) for i in range(start, stop))
            return
        axis = max(range(len(self.bounds)), key=lambda a: self.bounds[a][1] - self.bounds[a][0])
        start, stop = self.bounds[axis]
        middle = (start + stop) // 2
        yield self._with(axis, (start, middle))
        yield self._with(axis, (middle, stop))

    def _with(self, axis: int, bounds: tuple[int, int]) -> Block:
        return Block((*self.bounds[:axis], bounds, *self.bounds[axis + 1 :]))


@dataclass(frozen=True)
class ElementCheck:
    """One element, confirmed by a central difference of its own; derivatives with respect to the element."""

    index: tuple[int, ...]
    autodiff: float
    measured: float | None
    half_width: float | None
    status: DirectionStatus


@dataclass(frozen=True)
class Localisation:
    """Where the gradient is wrong.

    `kind`: "elements" (at most 10, listed), "dense" (spread over `regions`), "none" (no block
    responds), "undecided" (`reason` says why; `regions` are as far as it got). `regions` are boxes
    ((start, stop) per axis) that hold all the disagreement found. `alpha` and `correlation` as in
    `ArrayCheck`, from the directions over the whole array.
    """

    kind: Literal["elements", "dense", "none", "undecided"]
    evaluations: int
    elements: tuple[ElementCheck, ...] = ()
    regions: tuple[tuple[tuple[int, int], ...], ...] = ()
    alpha: float | None = None
    correlation: float | None = None
    reason: str | None = None


def localise(evaluate: Evaluate, problem: Problem, seed: int, budget: Budget) -> Localisation:
    """Bisects on index sets with fresh signs at each; about 8 k log2(N / k) evaluations for k wrong elements.

    Elements whose gradient is not finite are listed without a search.
    """
    baseline = problem.baseline.value
    if baseline is None or not math.isfinite(baseline) or problem.x.size == 0:
        return Localisation("undecided", 0, reason="domain_error")
    return _Search(evaluate, problem, baseline, seed, budget).run()


def each_element(evaluate: Evaluate, problem: Problem, known: ArrayCheck) -> tuple[ElementCheck, ...]:
    """Every element by differences of its own: 8 evaluations each.

    Args:
        known: the check of the whole array, whose noise and step are taken over; without them nothing is measured.
    """
    baseline = problem.baseline.value
    if baseline is None or known.eps_f is None or known.h not in policy.LADDER:
        return ()
    # One element moves the objective less than all together: wider steps as well.
    middle = policy.LADDER.index(known.h)
    start = min(max(middle - 2, 0), len(policy.LADDER) - 4)
    steps = policy.LADDER[start : start + 4]
    ulp = policy.ulp(abs(baseline), problem.objective_dtype)
    setting = Setting(baseline, noise_floor.Noise(known.eps_f, ulp, True, False), problem.rtol)
    indices = [tuple(map(int, index)) for index in np.ndindex(problem.x.shape)]
    prober = Prober(evaluate, problem.baseline, 2 * len(steps) * len(indices))
    return _by_themselves(problem, indices, steps, prober, setting)


def _by_themselves(
    problem: Problem, indices: Sequence[tuple[int, ...]], steps: Sequence[float], prober: Prober, setting: Setting
) -> tuple[ElementCheck, ...]:
    """A ladder of central differences for each element."""
    space, directions = Space(problem), []
    for index in indices:
        direction = np.zeros(problem.x.shape)
        direction[index] = space.sizes[index]
        directions.append(direction)
    ladders = prober.ladders([space.ladder(d, steps) for d in directions])
    checks = []
    for index, direction, ladder in zip(indices, directions, ladders, strict=True):
        check = judge("random", ladder, space.scale(direction), setting)
        unit = float(space.sizes[index])
        gradient = float(problem.gradient[index])
        measured = check.measured / unit if check.measured is not None else None
        half_width = check.half_width / unit if check.half_width is not None else None
        is_bad = not math.isfinite(gradient) and measured is not None
        status: DirectionStatus = "disagrees" if is_bad else check.status
        checks.append(ElementCheck(index, gradient, measured, half_width, status))
    return tuple(checks)


class _Search:
    def __init__(self, evaluate: Evaluate, problem: Problem, f0: float, seed: int, budget: Budget) -> None:
        self.problem = problem
        self.f0 = f0
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.prober = Prober(evaluate, problem.baseline, budget.max_evaluations)
        self.space = Space(problem)
        self.checks: list[DirectionCheck] = []

    def run(self) -> Localisation:
        if self.prober.remaining < policy.NOISE_POINTS - 1 + 2 * DRAWS * len(policy.LADDER):
            return self._result("undecided", reason="budget")
        self._measure_root()
        bad = np.argwhere(~self.space.is_finite)
        if len(bad):
            kind: Literal["elements", "dense"] = "elements" if len(bad) <= MOST_ELEMENTS else "dense"
            found = [tuple(int(i) for i in index) for index in bad[:MOST_ELEMENTS]]
            return self._result(kind, elements=self._confirmed(found))
        if self.step is None:
            return self._result("undecided", reason=self.checks[0].reason or "no_plateau")
        root = Block(tuple((0, n) for n in self.problem.x.shape) or ((0, 1),))
        return self._bisect(root) if self._is_wrong else self._result("none")

    def _measure_root(self) -> None:
        """Noise, step and truncation from two ladders over the whole array."""
        directions = [self.space.signs(self.rng, k) for k in range(DRAWS)]
        width = noise_floor.first_width(self.problem.x.dtype, self.problem.objective_dtype)
        samples = [self.space.at(directions[0], t) for t in noise_floor.offsets(width)]
        pairs = [self.space.ladder(d, policy.LADDER) for d in directions]
        readings = self.prober.read([*samples, *(p for ladder in pairs for p in points_of(ladder))])
        sampled, readings = [r.value for r in readings[: len(samples)]], readings[len(samples) :]
        values = [v for v in sampled if v is not None]
        half = len(sampled) // 2
        is_complete = len(values) == len(sampled)
        tables = [noise_floor.difference_table([*values[:half], self.f0, *values[half:]])] if is_complete else []
        spacing = policy.ulp(max(map(abs, [self.f0, *values])), self.problem.objective_dtype)
        floor = noise_floor.floor(self.f0, self.problem.repeats, tables, spacing)
        self.setting = Setting(self.f0, floor, self.problem.rtol)
        ladders = [rungs(p, readings) for p in pairs]
        scales = [self.space.scale(d) for d in directions]
        self.checks = [judge("random", r, s, self.setting) for r, s in zip(ladders, scales, strict=True)]
        plateaus = [(plateau(Ladder.of(r, self.f0), floor.eps_f), Ladder.of(r, self.f0)) for r in ladders]
        settled = [(p.half_width, float(ladder.h[p.index])) for p, ladder in plateaus if p is not None]
        self.step = min(settled)[1] if settled else None
        self.bound = max(b for b, _ in settled) if settled else math.inf

    @property
    def _is_wrong(self) -> bool:
        return any(c.residual is not None and abs(c.residual) > self.bound for c in self.checks)

    def _bisect(self, root: Block) -> Localisation:
        open_blocks = [root]
        found: list[Block] = []
        while open_blocks:
            children = [child for block in open_blocks for child in block.split()] if root.size > 1 else [root]
            if self.prober.remaining < 2 * DRAWS * len(children):
                return self._result("undecided", regions=open_blocks + found, reason="budget")
            responding = self._responding(children)
            if not responding:  # each half alone stays under the threshold that the whole exceeds
                return self._result("undecided", regions=open_blocks + found, reason="noise_floor")
            if len(children) >= DENSE_BLOCKS and len(responding) > DENSE_SHARE * len(children):
                return self._result("dense", regions=_merged(open_blocks + found))
            found += [block for block in responding if block.size == 1]
            open_blocks = [block for block in responding if block.size > 1]
        if len(found) > MOST_ELEMENTS or (root.size > 2 and len(found) > DENSE_SHARE * root.size):
            return self._result("dense", elements=self._confirmed(self._indices(found)), regions=[root])
        elements = self._confirmed(self._indices(found))
        return self._result("elements" if elements else "none", elements=elements, regions=found)

    def _responding(self, blocks: Sequence[Block]) -> list[Block]:
        """Blocks with a residual above noise, truncation and the rounding of autodiff itself."""
        assert self.step is not None
        pairs: list[Pair] = []
        thresholds: list[float] = []
        noise = policy.SIGMAS * self.setting.noise.eps_f / (math.sqrt(2.0) * self.step)
        for block in blocks:
            mask = self._mask(block)
            for _ in range(DRAWS):
                direction = self.space.signs(self.rng, 0, mask)
                pairs.append(self.space.pair(direction, self.step))
                own_error = 0.5 * self.setting.rtol * self.space.scale(direction)
                thresholds.append(max(noise, self.bound * math.sqrt(block.size / self.problem.x.size)) + own_error)
        ladders = self.prober.ladders([[pair] for pair in pairs])
        responds = [
            rung.measured is not None and abs(rung.measured - rung.autodiff) > limit
            for (rung,), limit in zip(ladders, thresholds, strict=True)
        ]
        return [block for k, block in enumerate(blocks) if any(responds[DRAWS * k : DRAWS * (k + 1)])]

    def _confirmed(self, indices: Sequence[tuple[int, ...]]) -> tuple[ElementCheck, ...]:
        """Those that do not agree by themselves, as far as the budget goes."""
        affordable = indices[: min(MOST_ELEMENTS, self.prober.remaining // (2 * len(policy.LADDER)))]
        checks = _by_themselves(self.problem, affordable, policy.LADDER, self.prober, self.setting)
        return tuple(c for c in checks if c.status != "agrees")

    def _mask(self, block: Block) -> np.ndarray:
        mask = np.zeros(self.problem.x.shape, dtype=bool)
        mask[block.slices if mask.ndim else ...] = True
        return mask

    def _indices(self, blocks: Sequence[Block]) -> list[tuple[int, ...]]:
        starts = [tuple(start for start, _ in block.bounds) for block in blocks]
        return [index if self.problem.x.ndim else () for index in starts]

    def _result(
        self,
        kind: Literal["elements", "dense", "none", "undecided"],
        elements: tuple[ElementCheck, ...] = (),
        regions: Sequence[Block] = (),
        reason: str | None = None,
    ) -> Localisation:
        alpha, correlation = slope(self.checks, self.setting.noise.eps_f) if self.checks else (None, None)
        boxes = tuple(block.bounds for block in regions)
        return Localisation(kind, self.prober.used, elements, boxes, alpha, correlation, reason)


def _merged(blocks: Sequence[Block]) -> list[Block]:
    """The box around all blocks if they fill it, else the blocks themselves."""
    axes = range(len(blocks[0].bounds))
    hull = Block(tuple((min(b.bounds[a][0] for b in blocks), max(b.bounds[a][1] for b in blocks)) for a in axes))
    return [hull] if hull.size == sum(b.size for b in blocks) else list(blocks)
