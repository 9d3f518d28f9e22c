"""A few evaluations that tell whether a full check is worth its cost."""

from __future__ import annotations

import numpy as np

from harness.measure.problem import Evaluate, Problem
from harness.measure.space import Space

DIRECTIONS = 2
GROSS = 0.25
"""Disagreement relative to the derivative that curvature and noise do not explain at a step that had served before."""
SLACK = 0.05
"""The same relative to the size that a derivative along such a direction has."""


def is_grossly_wrong(evaluate: Evaluate, problem: Problem, seed: int, step: float, noise: float) -> bool:
    """True if the gradient is off by far along every direction looked at; False settles nothing.

    Args:
        step: relative step at which differences of this objective were resolved.
        noise: half width of the interval of a derivative there.
    """
    space = Space(problem)
    if not space.is_finite.all():
        return False
    rng = np.random.Generator(np.random.PCG64(seed))
    lines = [space.signs(rng, number) for number in range(DIRECTIONS)]
    pairs = [space.pair(line, step) for line in lines]
    if any(pair.points is None for pair in pairs):
        return False
    outcomes = evaluate([point for pair in pairs for point in pair.points or ()])
    if len({outcome.structure for outcome in outcomes}) > 1:
        return False
    values = [outcome.value for outcome in outcomes]
    for number, (line, pair) in enumerate(zip(lines, pairs, strict=True)):
        plus, minus = values[2 * number : 2 * number + 2]
        if plus is None or minus is None:
            return False
        measured, autodiff = (plus - minus) / (2.0 * step), pair.prediction / (2.0 * step)
        allowed = GROSS * max(abs(measured), abs(autodiff)) + SLACK * space.scale(line) + 4.0 * noise
        if abs(measured - autodiff) <= allowed:
            return False
    return True
