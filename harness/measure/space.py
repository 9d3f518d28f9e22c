"""Directions in the space of one parameter, and the points to evaluate along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from harness.measure import policy
from harness.measure.problem import Problem

Scaling = Literal["typical", "elementwise", "unit"]


@dataclass(frozen=True)
class Pair:
    """The two points of one central difference.

    `prediction` is sum(g * delta) over the realised step. A pair that cannot be evaluated has a
    `failure` and no points.
    """

    h: float
    prediction: float
    points: tuple[np.ndarray, np.ndarray] | None
    failure: str | None = None


def typical_sizes(x: np.ndarray, scaling: Scaling) -> np.ndarray:
    """Size of a natural change of each element, float64, same shape as `x`.

    "typical" never lets an element that happens to be near zero drop out of a direction.
    "elementwise" is for arrays that mix units, where the largest elements would push the small
    ones far out of their range. "unit" is for arrays that are zero or tiny at the start.
    """
    magnitude = np.abs(x.astype(np.float64))
    if scaling == "unit":
        return np.maximum(magnitude, 1.0)
    if scaling == "elementwise" and np.any(magnitude > 0.0):
        smallest = float(magnitude[magnitude > 0.0].min())
        return np.maximum(magnitude, smallest)
    peak = float(magnitude.max(initial=0.0))
    rms = peak * float(np.sqrt(np.mean((magnitude / peak) ** 2))) if peak > 0.0 else 0.0
    return np.maximum(magnitude, max(rms, policy.FLOOR))


class Space:
    """The parameter with its gradient, typical sizes and manifold."""

    def __init__(self, problem: Problem, scaling: Scaling = "typical") -> None:
        self.x = problem.x
        self.center = problem.x.astype(np.float64)
        self.manifold = problem.manifold
        gradient = problem.gradient.astype(np.float64)
        self.is_finite = np.isfinite(gradient)
        self.gradient = self._tangent_gradient(np.where(self.is_finite, gradient, 0.0))
        self.sizes = typical_sizes(problem.x, scaling)
        if self.manifold is not None:
            position = self.center[..., :-4]
            self.sizes[..., :-4] = typical_sizes(position, scaling) if position.size else 0.0
            self.sizes[..., -4:] = np.linalg.norm(self.center[..., -4:], axis=-1, keepdims=True)

    def signs(self, rng: np.random.Generator, number: int = 0, mask: np.ndarray | None = None) -> np.ndarray:
        """A jittered-sign direction, restricted to `mask`; `number` spreads the few lines of tiny arrays."""
        low, high = policy.JITTER
        sign = rng.integers(0, 2, self.x.shape) * 2.0 - 1.0
        jitter = rng.uniform(low, high, self.x.shape)
        if self.x.size == 1:  # every direction is the same line: only the length can differ
            sign[...] = 1.0
            jitter = jitter / 3.0 + (1.0 if number % 2 else 1.0 / 3.0)
        elif self.x.size == 2:  # only two lines: alternate between them
            sign.flat[1] = sign.flat[0] * (1.0 if number % 2 else -1.0)
        direction = sign * jitter * self.sizes
        if mask is not None:
            direction = np.where(mask, direction, 0.0)
        return self._tangent(direction)

    def along_gradient(self, rng: np.random.Generator) -> np.ndarray:
        """The gradient in units of the typical sizes, with a positive jitter; largest component 1.5 sizes at most."""
        low, high = policy.JITTER
        scaled = self.sizes * self.gradient
        direction = self.sizes * scaled / np.abs(scaled).max()
        return self._tangent(direction * rng.uniform(low, high, self.x.shape))

    def zero_set(self) -> np.ndarray | None:
        """Mask of elements whose gradient is exactly zero while others' is not; None if there are none."""
        mask = (self.gradient == 0.0) & self.is_finite
        if self.manifold is not None:
            mask[..., -4:] = mask[..., -4:].all(axis=-1, keepdims=True)
        return mask if mask.any() and not mask.all() else None

    def scale(self, direction: np.ndarray) -> float:
        """||g o d||, the root mean square of g.d over random signs."""
        return float(np.linalg.norm((self.gradient * direction).ravel()))

    def at(self, direction: np.ndarray, step: float) -> np.ndarray:
        """Contents of the parameter `step` along `direction`, rounded to its dtype."""
        moved = self.center + step * direction
        if self.manifold is not None:
            old = np.linalg.norm(self.center[..., -4:], axis=-1, keepdims=True)
            new = np.linalg.norm(moved[..., -4:], axis=-1, keepdims=True)
            moved[..., -4:] *= np.divide(old, new, out=np.ones_like(new), where=new > 0.0)
        with np.errstate(over="ignore"):
            return moved.astype(self.x.dtype)

    def pair(self, direction: np.ndarray, h: float) -> Pair:
        """The points x +- h d with the change that autodiff predicts between them."""
        plus, minus = self.at(direction, h), self.at(direction, -h)
        if not (np.all(np.isfinite(plus)) and np.all(np.isfinite(minus))):
            return Pair(h, 0.0, None, "domain_error")
        delta = plus.astype(np.float64) - minus.astype(np.float64)
        prediction = float(np.sum(self.gradient * delta))
        nominal = 2.0 * h * direction
        is_lost = not delta.any()
        if self.manifold is None:
            is_lost |= float(np.linalg.norm((delta - nominal).ravel())) > 0.25 * float(np.linalg.norm(nominal.ravel()))
        return Pair(h, prediction, None, "step_underflow") if is_lost else Pair(h, prediction, (plus, minus))

    def ladder(self, direction: np.ndarray, steps: Sequence[float]) -> list[Pair]:
        return [self.pair(direction, h) for h in steps]

    def _tangent(self, direction: np.ndarray) -> np.ndarray:
        if self.manifold is None:
            return direction
        rotation = self.center[..., -4:]
        square = np.sum(rotation**2, axis=-1, keepdims=True)
        along = np.sum(direction[..., -4:] * rotation, axis=-1, keepdims=True)
        projected = direction.copy()
        projected[..., -4:] -= rotation * np.divide(along, square, out=np.zeros_like(along), where=square > 0.0)
        return projected

    def _tangent_gradient(self, gradient: np.ndarray) -> np.ndarray:
        projected = self._tangent(gradient)
        if self.manifold is not None:  # what the projection leaves of a radial gradient is rounding
            size = np.linalg.norm(gradient[..., -4:], axis=-1, keepdims=True)
            projected[..., -4:][np.abs(projected[..., -4:]) <= 1e-6 * size] = 0.0
        return projected
