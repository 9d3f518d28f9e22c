"""What is measured: a parameter, its gradient, and a batch evaluator of the objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.measure import policy

MANIFOLDS = (None, "quaternion", "transform")


@dataclass(frozen=True)
class Outcome:
    """One forward run.

    `value` is the objective in float64, None if the run gave none. `failure` names why ("nan",
    "crash", "timeout", "not-reached"). `structure` is a hash of the launch sequence; a run whose
    structure differs from the baseline's took a discrete turn and is not compared with it.
    """

    value: float | None
    failure: str | None = None
    structure: str | None = None


Evaluate = Callable[[Sequence[np.ndarray]], Sequence[Outcome]]
"""Runs the objective once per item. An item is the full contents of the parameter, in its dtype and shape."""


@dataclass(frozen=True)
class Problem:
    """A gradient to judge.

    `x`: contents of the parameter, any shape, floating dtype. `gradient`: the consumed gradient,
    same shape, possibly not finite. `baseline`: the unperturbed run. `objective_dtype`: precision
    the objective is computed in. `repeats`: objectives of further unperturbed runs. `manifold`:
    "quaternion" (last axis 4) or "transform" (last axis 7: position, then quaternion), else None.
    `terms`: how many numbers are added up, one after the other, in the objective. `tolerance`: the error that
    autodiff is allowed, relative to the scale, where it is not that of the objective's precision.
    """

    x: np.ndarray
    gradient: np.ndarray
    baseline: Outcome
    objective_dtype: np.dtype
    repeats: Sequence[float] = ()
    manifold: str | None = None
    terms: int = 1
    tolerance: float | None = None

    @property
    def rtol(self) -> float:
        """The error that autodiff is allowed, relative to the scale."""
        return policy.relative_tolerance(self.objective_dtype) if self.tolerance is None else self.tolerance

    def __post_init__(self) -> None:
        if self.x.shape != self.gradient.shape:
            raise ValueError(f"gradient has shape {self.gradient.shape}, the parameter {self.x.shape}")
        if not np.issubdtype(self.x.dtype, np.floating):
            raise ValueError(f"a parameter of dtype {self.x.dtype} has no derivative")
        if self.manifold not in MANIFOLDS:
            raise ValueError(f"manifold is {self.manifold!r}, expected one of {MANIFOLDS}")
        width = {"quaternion": 4, "transform": 7}.get(self.manifold or "")
        if width and (self.x.ndim == 0 or self.x.shape[-1] != width):
            raise ValueError(f"a {self.manifold} array needs a last axis of {width}, shape is {self.x.shape}")


@dataclass(frozen=True)
class Budget:
    """Most forward runs to spend, and how many random directions to try."""

    max_evaluations: int
    directions: int = 4
