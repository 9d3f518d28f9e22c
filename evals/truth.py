"""The true gradient: float64 central differences of a case's ``reference.py``, with their own error bound.

The reference is an independent numpy version of what the program minimises. It imports numpy and nothing of the case:

    def objective(parameters: dict[str, np.ndarray], iteration: int) -> float: ...

``parameters`` holds float64 contents by the names in ``case.json``; ``iteration`` counts updates from 0, for objectives
that change with it (mini-batches, schedules). It must be deterministic. Where the number that the program prints is not
the objective (a mean, a root), a second function of the same form, ``printed``, gives it.
"""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Array = np.ndarray
Objective = Callable[[dict[str, Array], int], float]

_STEP = 1e-5
"""Of the parameter's size: truncation and rounding are both about 1e-10 of the derivative then."""
_SECONDS = 1.0
"""For all differences of one parameter at one point; beyond it random directions stand for the elements."""
_DIRECTIONS = 12


class BadReference(Exception):
    """``reference.py`` cannot be used; the message says why."""


@dataclass(frozen=True)
class Reference:
    """The functions of a ``reference.py``."""

    objective: Objective
    printed: Objective


@dataclass(frozen=True)
class Comparison:
    """A gradient beside the true one, for one parameter at one point."""

    parameter: str
    iteration: int
    error: float
    """Relative to the larger of the true gradient's size and the noise that its objective has in float32."""
    bound: float
    """Error of the differences themselves, on the same scale."""
    gradient_norm: float
    true_norm: float
    moves: bool
    """The objective depends on the parameter by more than its float32 resolution."""

    def agrees(self, tolerance: float) -> bool:
        """Whether the gradient is right up to a relative tolerance."""
        return self.error <= tolerance + self.bound

    def differs(self, visible: float) -> bool:
        """Whether the gradient is wrong by more than ``visible`` for certain; NaN is."""
        return not self.error - self.bound < visible


def load_reference(path: Path) -> Reference:
    """Load the functions of a reference.

    Raises:
        BadReference: there is no such file, it fails, or it has no ``objective``.
    """
    spec = importlib.util.spec_from_file_location(f"reference_{path.parent.name.replace('-', '_')}", path)
    if spec is None or spec.loader is None or not path.exists():
        raise BadReference("there is no reference.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadReference(f"reference.py fails: {type(error).__name__}: {error}") from error
    objective = getattr(module, "objective", None)
    if objective is None:
        raise BadReference("reference.py has no function `objective(parameters, iteration)`")
    return Reference(objective, getattr(module, "printed", objective))


def value(function: Objective, parameters: Mapping[str, Array], iteration: int) -> float:
    """The function at the parameters, in float64, whatever it does to its argument.

    Raises:
        BadReference: the function fails, or gives no finite number.
    """
    try:
        result = float(function({k: np.array(v, dtype=np.float64) for k, v in parameters.items()}, iteration))
    except Exception as error:
        raise BadReference(f"reference.py fails at iteration {iteration}: {type(error).__name__}: {error}") from error
    if not math.isfinite(result):
        raise BadReference(f"reference.py gives {result} at iteration {iteration}")
    return result


def compare(
    objective: Objective, parameters: Mapping[str, Array], gradients: Mapping[str, Array | None], iteration: int
) -> list[Comparison]:
    """Each gradient against differences of the objective at the same parameter values.

    A gradient that the program does not consume (None) counts as zeros.
    """
    return [_compare(objective, parameters, name, gradient, iteration) for name, gradient in gradients.items()]


def hopeless(name: str, iteration: int) -> Comparison:
    """The comparison at parameter values that are not finite: an earlier gradient has sent them there."""
    return Comparison(name, iteration, math.inf, 0.0, math.nan, math.nan, moves=False)


def _compare(
    objective: Objective, parameters: Mapping[str, Array], name: str, gradient: Array | None, iteration: int
) -> Comparison:
    x = np.asarray(parameters[name], dtype=np.float64)
    g = np.zeros_like(x) if gradient is None else np.asarray(gradient, dtype=np.float64).reshape(x.shape)
    rms = float(np.sqrt(np.mean(x * x))) if x.size else 0.0
    size = max(rms, 1e-3)
    started = time.perf_counter()
    f0 = value(objective, parameters, iteration)
    per_value = time.perf_counter() - started

    def along(direction: Array) -> tuple[float, float]:
        """Derivative along a direction and the error of it."""
        estimates = []
        for step in (_STEP * size, 4 * _STEP * size):
            above = value(objective, {**parameters, name: x + step * direction}, iteration)
            below = value(objective, {**parameters, name: x - step * direction}, iteration)
            estimates.append((above - below) / (2 * step))
        rounding = 8 * np.finfo(np.float64).eps * abs(f0) / (_STEP * size)
        return estimates[0], abs(estimates[0] - estimates[1]) + float(rounding)

    if 4 * x.size * per_value <= _SECONDS:
        directions = np.eye(x.size).reshape(x.size, *x.shape)
    else:
        random = np.random.default_rng(iteration)
        shape = (_DIRECTIONS, *x.shape)
        directions = random.choice((-1.0, 1.0), shape) * random.uniform(0.5, 1.5, shape)
    measured = [along(d) for d in directions]
    true, bounds = np.array([m for m, _ in measured]), np.array([b for _, b in measured])
    taken = np.array([float(np.sum(g * d)) for d in directions])
    # A gradient this small moves the objective by less than its float32 resolution.
    noise = 1e-5 * abs(f0) / size
    scale = max(float(np.linalg.norm(true)), noise, 1e-30)
    error = float(np.linalg.norm(taken - true)) / scale if np.all(np.isfinite(g)) else math.inf
    return Comparison(
        parameter=name,
        iteration=iteration,
        error=error,
        bound=float(np.linalg.norm(bounds)) / scale,
        gradient_norm=float(np.linalg.norm(taken)),
        true_norm=float(np.linalg.norm(true)),
        moves=float(np.linalg.norm(true)) > noise,
    )
