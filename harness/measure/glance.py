"""A few evaluations that tell whether a full check is worth its cost."""

from __future__ import annotations

import numpy as np

from harness.measure.prober import Prober
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
    prober = Prober(evaluate, problem.baseline, 2 * DIRECTIONS)
    for line, (rung,) in zip(lines, prober.ladders([space.ladder(line, [step]) for line in lines]), strict=True):
        if rung.measured is None:
            return False
        allowed = GROSS * max(abs(rung.measured), abs(rung.autodiff)) + SLACK * space.scale(line) + 4.0 * noise
        if abs(rung.measured - rung.autodiff) <= allowed:
            return False
    return True
