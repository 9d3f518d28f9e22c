"""Manual seeds against what the program reports: is the consumed gradient a multiple of a reported scalar's derivative?

With ``backward(loss)`` the objective is known. With a seed written by hand, only the program's own numbers say what the
seed should have been: a scalar that it computes in the iteration and whose measured derivative is a constant multiple,
not 1, of the consumed gradient in every direction and iteration is the objective it meant, and the seed is off by that
factor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from ..record.reported import PRINTED, last_digit
from .gradients import Assessment, Judged

TOLERANCE = 0.02
"""Largest relative spread of the multiple over directions and iterations."""

STEPS = (2.0**-10, 2.0**-7)
"""Relative steps at which reported scalars are compared."""

CLOSE = 0.005
"""Relative distance from a factor that a mistake is likely to have, where the program's own progress tells nothing."""


@dataclass(frozen=True)
class Slope:
    """How a reported scalar reacts to a parameter in one iteration."""

    ratios: list[float]
    """Measured derivative over autodiff along each direction; the gradient's comes last."""
    value: float


Slopes = dict[str, Slope]
Samples = list[tuple["Judged", Slopes]]


@dataclass(frozen=True)
class Reported:
    """A reported scalar that the consumed gradient is a multiple of."""

    name: str
    factor: float
    """Measured derivative of the scalar over autodiff."""
    autodiff: float
    measured: float
    judged: Judged


@dataclass
class Comparison:
    """Seeds compared with what the program reports."""

    misscaled: list[Reported] = field(default_factory=list)
    """One entry per check whose seed contradicts a reported scalar."""
    unmatched: list[Reported] = field(default_factory=list)
    """The nearest scalar for each parameter whose seeds belong to no reported one, nor to a function of one."""


def compare(judged: list[Judged]) -> Comparison:
    """Compare every seed; a parameter for which any reported scalar fits has no entry."""
    found = Comparison()
    for trace in {id(j.trace): j.trace for j in judged}.values():
        seeded = [j for j in judged if j.trace is trace and _is_seeded(j) and j.check.status == "agrees"]
        samples = [(j, _slopes(j)) for j in seeded]
        if len(samples) < 2:
            continue
        names = sorted({n for _, slopes in samples for n in slopes})
        if not any(all(_fits(s[n]) for _, s in samples if n in s) for n in names):
            wrong = _off_by_a_factor(samples, names) or _right_only_at_first(samples, names)
            found.misscaled += wrong
            found.unmatched += [] if wrong else _nearest(samples[0])
    return found


def _nearest(sample: tuple[Judged, Slopes]) -> list[Reported]:
    """The scalar whose derivative is most nearly a multiple of the gradient; none if it is one, as for a root."""
    judged, slopes = sample
    if not slopes:
        return []
    nearest = min(slopes.values(), key=lambda slope: _spread(slope.ratios))
    same = [n for n, slope in slopes.items() if math.isclose(slope.value, nearest.value, rel_tol=1e-3)]
    name = min(same, key=lambda n: n.startswith(PRINTED))  # a variable rather than the text it was printed in
    return [] if _multiple(slopes[name]) else [_entry(name, judged, slopes[name].ratios[-1])]


def _off_by_a_factor(samples: Samples, names: list[str]) -> list[Reported]:
    """A scalar with the same multiple, not 1, in every iteration."""
    constant = {n: [s[n] for _, s in samples] for n in names if all(_multiple(s.get(n)) for _, s in samples)}
    constant = {n: slopes for n, slopes in constant.items() if _is_proportional(samples, slopes)}
    if not constant:
        return []
    name = min(constant, key=lambda n: _spread([_mean(s) for s in constant[n]]))
    return [_entry(name, j, _mean(s[name])) for j, s in samples]


def _is_proportional(samples: Samples, slopes: list[Slope]) -> bool:
    """True if the scalar is the seeded objective times a factor, and not a root or a logarithm of it.

    Of those the multiple changes as fast as the scalar itself. Where the program makes hardly any progress that would
    not show, and the factor must be one that a mistake is likely to have.
    """
    multiples = [_mean(s) for s in slopes]
    factor, spread = multiples[0], _spread(multiples)
    if spread > TOLERANCE or abs(factor) < 1e-8 or _is_change_of_unit(samples, factor):
        return False
    return spread < 0.25 * _spread([s.value for s in slopes]) or _is_likely(samples, factor)


def _is_likely(samples: Samples, factor: float) -> bool:
    """A sign, a two, the number of values, or their product."""
    counts = {c for j, _ in samples for size in seeded_sizes(j) for c in (1.0, float(size), 1.0 / size)}
    return any(abs(abs(factor) / (c * two) - 1.0) < CLOSE for c in counts for two in (0.5, 1.0, 2.0))


def _right_only_at_first(samples: Samples, names: list[str]) -> list[Reported]:
    """A scalar that the seed belongs to in the first iteration, and no longer in later ones: a seed left over."""
    for name in names:
        if _fits(samples[0][1].get(name)):
            later = [(j, s[name]) for j, s in samples[1:] if name in s and not _fits(s[name])]
            if later:
                return [_entry(name, j, slope.ratios[-1]) for j, slope in later]
    return []


def _fits(slope: Slope | None) -> bool:
    return slope is not None and all(abs(r - 1.0) < TOLERANCE for r in slope.ratios)


def _multiple(slope: Slope | None) -> float | None:
    """The multiple, if it is the same along every direction."""
    return _mean(slope) if slope is not None and _spread(slope.ratios) < TOLERANCE else None


def _mean(slope: Slope) -> float:
    return float(np.mean(slope.ratios))


def _is_change_of_unit(samples: Samples, factor: float) -> bool:
    """A power of ten is how numbers are shown in percent or millimetres, unless it is the number of values."""
    power = 10.0 ** round(math.log10(abs(factor)))
    is_power = power != 1.0 and abs(factor / power - 1.0) < TOLERANCE
    return is_power and not any(counted(j, factor) or counted(j, 1.0 / factor) for j, _ in samples)


def counted(judged: Judged, factor: float) -> int | None:
    """The number N of values that are seeded, where a factor is 1 / N: the mean is reported; else None."""
    return next((size for size in seeded_sizes(judged) if abs(size * factor - 1.0) < TOLERANCE), None)


def seeded_sizes(judged: Judged) -> set[int]:
    """Numbers of elements of the seeds."""
    files = {term.seed_file for term in judged.objective.contributions}
    return {int(np.load(file).size) for file in files if file is not None}


def apply(assessment: Assessment) -> None:
    """Turn the checks whose seed is off into disagreements with the reported scalar."""
    assessment.reported = compare(assessment.judged)
    for entry in assessment.reported.misscaled:
        judged = entry.judged
        judged.reported = entry.name
        judged.check = replace(
            judged.check, status="disagrees", measured=entry.measured, ratio=1.0 / entry.factor, half_width=None
        )


def _is_seeded(judged: Judged) -> bool:
    terms = judged.objective.contributions
    return bool(terms) and all(t.seed_file is not None for t in terms) and judged.evaluator is not None


def _entry(name: str, judged: Judged, factor: float) -> Reported:
    autodiff = judged.check.autodiff or 0.0
    return Reported(name, factor, autodiff, factor * autodiff, judged)


def _spread(values: list[float]) -> float:
    return (max(values) - min(values)) / max(abs(v) for v in values) if any(values) else float("inf")


def _slopes(judged: Judged) -> Slopes:
    """Per reported scalar, how it reacts at the first step where it does so smoothly.

    Small steps first: the multiple is only constant where the scalar is linear in the step. Larger ones serve scalars
    that the program keeps in single precision.
    """
    found: Slopes = {}
    for step in STEPS:
        for name, slope in _slopes_at(judged, step).items():
            found.setdefault(name, slope)
    return found


def _slopes_at(judged: Judged, step: float) -> Slopes:
    assert judged.problem is not None
    assert judged.evaluator is not None
    x, gradient = judged.problem.x, judged.problem.gradient
    points: list[np.ndarray | None] = [None, None]
    for direction in _directions(x, gradient):
        points += [(x + step * direction).astype(x.dtype), (x - step * direction).astype(x.dtype)]
    known = [r for r in judged.evaluator.report(points) if r is not None]
    if len(known) < len(points):
        return {}
    slopes: Slopes = {}
    for name in sorted(set.intersection(*(set(r) for r in known))):
        ratios = _ratios([r[name] for r in known], points, gradient)
        if ratios is not None:
            slopes[name] = Slope(ratios, known[0][name])
    return slopes


def _directions(x: np.ndarray, gradient: np.ndarray) -> list[np.ndarray]:
    """Two directions of jittered signs and the gradient, each scaled to the parameter."""
    rng = np.random.Generator(np.random.PCG64(7))
    scale = np.maximum(np.abs(x.astype(np.float64)), max(float(np.sqrt(np.mean(np.square(x)))), 1e-3))
    directions = [scale * rng.choice([-1.0, 1.0], x.shape) * rng.uniform(0.5, 1.5, x.shape) for _ in range(2)]
    if np.any(gradient):
        directions.append(scale**2 * gradient / max(float(np.linalg.norm(scale * gradient)), 1e-30))
    return directions


def _ratios(values: list[float], points: list[np.ndarray | None], gradient: np.ndarray) -> list[float] | None:
    """One ratio per direction along which the scalar changes clearly and evenly; None if there are fewer than two."""
    base, repeat = values[0], values[1]
    noise = abs(base - repeat) + 4.0 * float(np.spacing(np.float32(abs(base))))
    # What is known as it was printed is known to its last decimal; other numbers have so many that it is next to 0.
    noise += min(last_digit(repr(v)) for v in values)
    found = []
    for index in range(2, len(values), 2):
        plus, minus = points[index], points[index + 1]
        assert plus is not None
        assert minus is not None
        predicted = float(np.sum(gradient * (plus.astype(np.float64) - minus.astype(np.float64))))
        change = values[index] - values[index + 1]
        is_even = abs(values[index] - 2.0 * base + values[index + 1]) < 0.5 * abs(change)
        if abs(change) > 50.0 * noise and predicted != 0.0 and is_even:
            found.append(change / predicted)
    return found if len(found) >= 2 else None
