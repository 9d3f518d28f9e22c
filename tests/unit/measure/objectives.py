"""Small numpy objectives with known gradients for the tests of `harness.measure`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.measure import Budget, Evaluate, Outcome, Problem, check_array
from harness.measure.results import ArrayCheck

Function = Callable[[np.ndarray], np.ndarray | float]


@dataclass(frozen=True)
class Case:
    """An objective `f`, float32 inside, at `x`, with its `gradient` in float64."""

    f: Function
    x: np.ndarray
    gradient: np.ndarray

    def with_gradient(self, gradient: np.ndarray) -> Case:
        return replace(self, gradient=gradient)


class Recorder:
    """Evaluates a function on batches and counts what it is asked."""

    def __init__(self, f: Function) -> None:
        self.f = f
        self.batches: list[list[np.ndarray]] = []

    def __call__(self, points: Sequence[np.ndarray]) -> list[Outcome]:
        self.batches.append([p.copy() for p in points])
        return [outcome(self.f, p) for p in points]

    @property
    def count(self) -> int:
        return sum(len(batch) for batch in self.batches)


def outcome(f: Function, x: np.ndarray) -> Outcome:
    with np.errstate(all="ignore"):
        value = float(f(x))
    return Outcome(value) if np.isfinite(value) else Outcome(None, "nan")


def problem(case: Case, dtype: str = "float32") -> Problem:
    x = np.asarray(case.x, dtype=dtype)
    gradient = np.asarray(case.gradient, dtype=dtype).reshape(x.shape)
    return Problem(x, gradient, outcome(case.f, x), np.dtype(dtype))


def check(case: Case, seed: int = 0, evaluations: int = 200, evaluate: Evaluate | None = None) -> ArrayCheck:
    return check_array(evaluate or Recorder(case.f), problem(case), seed, Budget(evaluations))


def complex_step(f: Function, x: np.ndarray) -> np.ndarray:
    """Gradient of an analytic `f`, exact to float64."""
    gradient = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        moved = x.astype(np.complex128)
        moved[index] += 1e-30j
        gradient[index] = np.imag(f(moved)) / 1e-30
    return gradient


def random_smooth(seed: int) -> Case:
    """One of six families of smooth objectives, float32 when called with float32, complex when called so."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 60))
    a = rng.normal(size=(size, size)).astype(np.float32) / np.float32(np.sqrt(size))
    b = rng.normal(size=size).astype(np.float32)
    x = (rng.normal(size=size) * 10.0 ** rng.uniform(-1.0, 1.0)).astype(np.float32)
    positive = np.abs(x) + np.float32(0.2)
    unit = (x / np.float32(np.abs(x).max())).astype(np.float32)

    def residual(p: np.ndarray) -> np.ndarray:
        return np.mean((a @ p - b) ** 2)

    def layers(p: np.ndarray) -> np.ndarray:
        return np.sum(np.tanh(a @ np.tanh(a @ p) + b) ** 2)

    def waves(p: np.ndarray) -> np.ndarray:
        return np.sum(np.sin(p) * b) + np.mean(p * p)

    def log_sum(p: np.ndarray) -> np.ndarray:
        return np.log(np.sum(np.exp(p))) + np.sum(b * p)

    def logs(p: np.ndarray) -> np.ndarray:
        return np.sum(np.log(p) * b) + np.mean(np.sqrt(p))

    def chain(p: np.ndarray) -> np.ndarray:
        position, velocity = p * 0, p
        for _ in range(20):
            force = np.roll(position, 1) - 2 * position + np.roll(position, -1) - np.float32(0.1) * position**3
            velocity = velocity + np.float32(0.05) * force
            position = position + np.float32(0.05) * velocity
        return np.mean((position - b) ** 2)

    families: list[tuple[Function, np.ndarray]] = [
        (residual, x), (layers, unit), (waves, unit), (log_sum, unit), (logs, positive), (chain, x)
    ]  # fmt: skip
    f, start = families[seed % len(families)]
    return Case(f, start, complex_step(f, start.astype(np.float64)))
