"""Manual seeds against what the program reports: is the consumed gradient a multiple of a reported scalar's derivative?

With ``backward(loss)`` the objective is known. With a seed written by hand, only the program's own numbers say what the
seed should have been: a scalar that it computes in the iteration and whose measured derivative is a constant multiple,
not 1, of the consumed gradient in every direction and iteration is the objective it meant, and the seed is off by that
factor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .gradients import Assessment, Judged

TOLERANCE = 0.02
"""Largest relative spread of the multiple over directions and iterations."""

STEPS = (2.0**-10, 2.0**-7)
"""Relative steps at which reported scalars are compared."""

Ratios = dict[str, list[float]]
"""Per scalar, measured derivative over autodiff along each direction; the gradient's comes last."""


@dataclass(frozen=True)
class Reported:
    """A reported scalar that the consumed gradient is a multiple of."""

    name: str
    factor: float
    """Measured derivative of the scalar over autodiff."""
    autodiff: float
    measured: float
    judged: Judged


def misscaled(assessment: Assessment) -> list[Reported]:
    """One entry per check whose seed contradicts what the program reports; empty if any reported scalar fits."""
    found = []
    for trace in {id(j.trace): j.trace for j in assessment.judged}.values():
        seeded = [j for j in assessment.of(trace) if _is_seeded(j) and j.check.status == "agrees"]
        samples = [(j, _ratios(j)) for j in seeded]
        if len(samples) < 2:
            continue
        names = sorted({n for _, ratios in samples for n in ratios})
        if not any(all(_fits(r.get(n)) for _, r in samples) for n in names):
            found += _off_by_a_factor(samples, names) or _right_only_at_first(samples, names)
    return found


def _off_by_a_factor(samples: list[tuple[Judged, Ratios]], names: list[str]) -> list[Reported]:
    """A scalar with the same multiple, not 1, in every iteration."""
    constant = [n for n in names if _is_constant([_multiple(r.get(n)) for _, r in samples])]
    if not constant:
        return []
    name = min(constant, key=lambda n: _spread([_known(r[n]) for _, r in samples]))
    return [_entry(name, j, _known(r[name])) for j, r in samples]


def _right_only_at_first(samples: list[tuple[Judged, Ratios]], names: list[str]) -> list[Reported]:
    """A scalar that the seed belongs to in the first iteration, and no longer in later ones: a seed left over."""
    for name in names:
        if _fits(samples[0][1].get(name)):
            later = [(j, r[name]) for j, r in samples[1:] if r.get(name) and not _fits(r.get(name))]
            if later:
                return [_entry(name, j, ratios[-1]) for j, ratios in later]
    return []


def _fits(ratios: list[float] | None) -> bool:
    return bool(ratios) and all(abs(r - 1.0) < TOLERANCE for r in ratios or ())


def _multiple(ratios: list[float] | None) -> float | None:
    """The multiple, if it is the same along every direction."""
    return float(np.mean(ratios)) if ratios and _spread(ratios) < TOLERANCE else None


def _known(ratios: list[float]) -> float:
    return float(np.mean(ratios))


def apply(assessment: Assessment) -> None:
    """Turn the checks whose seed is off into disagreements with the reported scalar."""
    assessment.misscaled = misscaled(assessment)
    for entry in assessment.misscaled:
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


def _is_constant(values: list[float | None]) -> bool:
    known = [v for v in values if v is not None]
    return len(known) == len(values) and _spread(known) < TOLERANCE and abs(known[0]) > 1e-3


def _spread(values: list[float]) -> float:
    return (max(values) - min(values)) / max(abs(v) for v in values) if any(values) else float("inf")


def _ratios(judged: Judged) -> Ratios:
    """Per reported scalar, measured derivative over autodiff, at the first step where the scalar reacts smoothly.

    Small steps first: the multiple is only constant where the scalar is linear in the step. Larger ones serve scalars
    that the program keeps in single precision.
    """
    found: Ratios = {}
    for step in STEPS:
        for name, ratio in _ratios_at(judged, step).items():
            found.setdefault(name, ratio)
    return found


def _ratios_at(judged: Judged, step: float) -> Ratios:
    assert judged.problem is not None
    assert judged.evaluator is not None
    x, gradient = judged.problem.x, judged.problem.gradient
    points: list[np.ndarray | None] = [None, None]
    for direction in _directions(x, gradient):
        points += [(x + step * direction).astype(x.dtype), (x - step * direction).astype(x.dtype)]
    objective = replace(judged.objective, report=True)
    known = [r for r in judged.evaluator.for_objective(objective).report(points) if r is not None]
    if len(known) < len(points):
        return {}
    ratios: Ratios = {}
    for name in sorted(set.intersection(*(set(r) for r in known))):
        ratio = _ratio([r[name] for r in known], points, gradient)
        if ratio is not None:
            ratios[name] = ratio
    return ratios


def _directions(x: np.ndarray, gradient: np.ndarray) -> list[np.ndarray]:
    """Two directions of jittered signs and the gradient, each scaled to the parameter."""
    rng = np.random.Generator(np.random.PCG64(7))
    scale = np.maximum(np.abs(x.astype(np.float64)), max(float(np.sqrt(np.mean(np.square(x)))), 1e-3))
    directions = [scale * rng.choice([-1.0, 1.0], x.shape) * rng.uniform(0.5, 1.5, x.shape) for _ in range(2)]
    if np.any(gradient):
        directions.append(scale**2 * gradient / max(float(np.linalg.norm(scale * gradient)), 1e-30))
    return directions


def _ratio(values: list[float], points: list[np.ndarray | None], gradient: np.ndarray) -> list[float] | None:
    """One ratio per direction along which the scalar changes clearly and evenly; None if there are fewer than two."""
    base, repeat = values[0], values[1]
    noise = abs(base - repeat) + 4.0 * float(np.spacing(np.float32(abs(base))))
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
