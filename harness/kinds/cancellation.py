"""cancellation

## What it is
A small quantity that depends on the parameter is added to a large one that does not, and float32 keeps only what the
large one leaves room for. The gradient is right, but the objective and everything that is decided by comparing two of
its values (a line search, a stopping rule, a difference quotient) is coarse.

## Why it happens
A loss stated as an absolute energy, a reference that is subtracted late, a regulariser far larger than the data term.

## What is measured
How much a change of the parameter by a sixteenth of its size changes every single number between it and the objective,
in units of the spacing of float32 at that number.

## What proves it
The noise of the objective leaves a difference quotient at the best step fewer than two digits, and one of those numbers
changes by less than 2^10 spacings where an ordinary one changes by 2^19.

## Known limits
Only arrays of one element are looked at: a cancellation inside a large array shows in the noise alone.

## Bad
    import warp as wp


    @wp.kernel
    def energy(x: wp.array(dtype=float), e: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(e, 0, 0.001 * (x[i] - 0.4) * (x[i] - 0.4))


    @wp.kernel
    def total(e: wp.array(dtype=float), loss: wp.array(dtype=float)):
        loss[0] = 4096.0 + e[0]


    x = wp.array([0.9, 0.5], dtype=float, requires_grad=True)
    e = wp.zeros(1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(energy, dim=2, inputs=[x], outputs=[e])
        wp.launch(total, dim=1, inputs=[e], outputs=[loss])
    tape.backward(loss)
    print(x.grad.numpy())

## Good
    import warp as wp


    @wp.kernel
    def energy(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(loss, 0, 0.001 * (x[i] - 0.4) * (x[i] - 0.4))


    x = wp.array([0.9, 0.5], dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(energy, dim=2, inputs=[x], outputs=[loss])
    tape.backward(loss)
    print(x.grad.numpy())

## References
Higham: Accuracy and stability of numerical algorithms (2002), chapter 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..assess import flow
from ..record.events import Event, Touch
from ..record.plan import Contribution, Objective
from ..schema import Finding, Number
from . import places
from .remarks import parameter_names, remark, steps_of

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

NAME = "cancellation"

STEP = 2.0**-4
BEST_STEP = 2.0**-8
"""Where differences in float32 are most accurate."""

FEW_DIGITS = 100.0
"""Signal over noise at the best step below which a difference has fewer than two digits."""

COARSE_ULPS = 1024.0
SMALLEST_SIZE = 1e-3
MOST_SCALARS = 8


@dataclass(frozen=True)
class Scalar:
    """A single number on the path: its value, its change, and the spacing of its type there."""

    event: Event
    touch: Touch
    value: float
    change: float
    spacing: float

    @property
    def change_ulps(self) -> float:
        """The change in spacings."""
        return self.change / self.spacing


def remarks(lab: Laboratory) -> list[Finding]:
    """At most one: the number with the coarsest change, in the first iteration whose objective is that noisy."""
    judged = [j for j in lab.assessment.judged if j.check.status != "independent"]
    for iteration in sorted({j.consumption.iteration for j in judged}):
        here = [j for j in judged if j.consumption.iteration == iteration]
        ratios = [_signal_to_noise(j) for j in here]
        known = [r for r in ratios if r is not None]
        # One parameter with little influence is no cancellation: even the most influential must be hard to see.
        if len(known) < len(here) or max(known) > FEW_DIGITS:
            continue
        best = here[ratios.index(max(known))]
        coarsest = min(_scalars(lab, best), key=lambda s: s.change_ulps, default=None)
        if coarsest is not None and coarsest.change_ulps < COARSE_ULPS:
            return [_remark(lab, here, best, coarsest)]
    return []


def _remark(lab: Laboratory, here: list[Judged], best: Judged, coarsest: Scalar) -> Finding:
    name = lab.source.name(coarsest.touch.buffer)
    location = places.of_store(lab, coarsest.event, coarsest.touch)
    parameter = lab.source.name(best.trace.buffers[0])
    visible = best.by_differences.smallest_visible_error
    limit = f" Differences would show errors from {min(visible, 1.0):.1%} on." if visible else ""
    count = f"{coarsest.change_ulps:.0f} spacing{'' if round(coarsest.change_ulps) == 1 else 's'}"
    return remark(
        NAME,
        f"`{name}` has little room for what depends on `{parameter}`",
        f"`{name}`{places.where(location)} is {coarsest.value:.7g}, where one spacing of its type is "
        f"{coarsest.spacing:.2g}; a change of `{parameter}` by 6 % of its size changes it by {coarsest.change:.2g}, "
        f"{count}.{limit} The gradient does not suffer, comparisons of objectives do.",
        next_step=f"Take the constant part out of `{name}`, or sum it in float64.",
        location=location,
        parameters=parameter_names(lab, here),
        evidence=[
            Number(label=f"value of {name}", value=coarsest.value),
            Number(label="its change", value=coarsest.change),
            Number(label="its change", value=coarsest.change_ulps, unit="ulp"),
        ],
    )


def _signal_to_noise(judged: Judged) -> float | None:
    """Change of the objective at the best step of differences over its noise; None where there is none to speak of."""
    check, problem = judged.by_differences, judged.problem
    if problem is None or problem.baseline.value is None or not check.eps_f or check.growth:
        return None
    is_judged = check.status in ("agrees", "undecided") and not check.is_piecewise_constant
    if not is_judged or not judged.consumption.gradient.any():
        return None
    if float(np.abs(problem.x).max(initial=0.0)) < SMALLEST_SIZE:
        return None  # its size says nothing about what a small change of it is
    f0 = float(problem.baseline.value)
    changes = [
        abs(value - f0) * BEST_STEP / r.h for d in check.directions for r in d.rungs if BEST_STEP <= r.h <= STEP
        for value in (r.plus, r.minus) if value is not None
    ]  # fmt: skip
    return max(changes) / check.eps_f if changes else None


def _scalars(lab: Laboratory, judged: Judged) -> list[Scalar]:
    """Numbers between parameter and objective, measured along the gradient with three forward runs."""
    found = _candidates(lab, judged)[-MOST_SCALARS:]
    if not found or judged.evaluator is None or judged.problem is None:
        return []
    objective = Objective(
        [Contribution(judged.objective.last_backward, t.buffer, _ones(lab, t.buffer)) for _, t in found],
        judged.objective.last_backward,
    )
    x = judged.problem.x
    points = [x, *_moved(x, judged.consumption.gradient)]
    results = judged.evaluator.for_objective(objective).terms(points)
    if any(r is None for r in results):
        return []
    base, plus, minus = (np.array(r) for r in results)
    changes = np.maximum(np.abs(plus - base), np.abs(minus - base))
    return [
        Scalar(event, touch, float(b), float(c), _spacing(lab, touch.buffer, float(b)))
        for (event, touch), b, c in zip(found, base, changes, strict=True)
    ]


def _candidates(lab: Laboratory, judged: Judged) -> list[tuple[Event, Touch]]:
    """The last write of every floating array of one element on the path."""
    last: dict[str, tuple[Event, Touch]] = {}
    for step in steps_of(lab, judged):
        for touch in step.results:
            is_single = math.prod(lab.recording.buffers[touch.buffer]["shape"]) == 1
            if is_single and _is_plain(lab, touch) and flow.is_floating(lab.recording, touch):
                last[touch.buffer] = (step.event, touch)
    return list(last.values())


def _is_plain(lab: Laboratory, touch: Touch) -> bool:
    return str(lab.recording.buffers[touch.buffer]["dtype"]) in ("float16", "float32", "float64")


def _ones(lab: Laboratory, buffer: str) -> str:
    shape = lab.recording.buffers[buffer]["shape"]
    file = Path(lab.session.scratch) / f"ones-{'x'.join(str(n) for n in shape)}.npy"
    if not file.exists():
        np.save(file, np.ones(shape, dtype=np.float64))
    return str(file)


def _moved(x: np.ndarray, gradient: np.ndarray) -> Sequence[np.ndarray]:
    size = max(float(np.sqrt(np.mean(x.astype(np.float64) ** 2))), 1e-3)
    direction = gradient / max(float(np.abs(gradient).max()), np.finfo(np.float64).tiny)
    return [(x + sign * STEP * size * direction).astype(x.dtype) for sign in (1.0, -1.0)]


def _spacing(lab: Laboratory, buffer: str, value: float) -> float:
    kind = np.dtype(str(lab.recording.buffers[buffer]["dtype"])).type
    return float(np.spacing(kind(abs(value))))
