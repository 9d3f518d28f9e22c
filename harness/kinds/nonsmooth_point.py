"""nonsmooth-point

## What it is
The parameter stands on a corner of the objective: the slopes to its two sides differ. Autodiff gives one of them, which
is a valid choice; a central difference gives their mean. Neither is a mistake.

## Why it happens
`wp.abs`, `wp.max`, `wp.min`, `wp.clamp`, `wp.where` and branches have corners, and starting values such as 0 or a
contact distance often lie exactly on one.

## What is measured
The two one-sided differences and how their gap changes with the step: it stays where there is a corner and shrinks in
proportion to the step where the objective is smooth.

## What proves it
The gap is measured. The expression is read from the source of the kernels between the parameter and the objective,
nearest to where the check of single launches finds a corner, if it ran.

## Known limits
A curvature too strong for the finest step looks like a corner. Corners that the steps do not reach are not mentioned.

## Bad
    import warp as wp


    @wp.kernel
    def cost(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(loss, 0, wp.abs(x[i]) + (x[i] - 2.0) * (x[i] - 2.0))


    x = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(cost, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    print(x.grad.numpy())

## Good
    import warp as wp


    @wp.kernel
    def cost(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(loss, 0, wp.sqrt(x[i] * x[i] + 0.01) + (x[i] - 2.0) * (x[i] - 2.0))


    x = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(cost, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    print(x.grad.numpy())

## References
Clarke: Optimization and nonsmooth analysis (1983), for what a derivative at a corner may be.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..schema import Finding, Number
from . import places
from .remarks import Expression, called, expressions, kernels_of, parameter_names, remark, steps_of

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory
    from ..measure.results import DirectionCheck

NAME = "nonsmooth-point"

CORNERS = ("abs", "max", "min", "clamp", "where", "select", "if")
"""Most telling first."""


@dataclass(frozen=True)
class Corner:
    """Slopes along one direction at step `h`."""

    left: float
    right: float
    autodiff: float
    h: float


def remarks(lab: Laboratory) -> list[Finding]:
    """At most one, about the first check that a corner left open."""
    shown = [j for j in lab.assessment.judged if _is_on_corner(j)]
    if not shown:
        return []
    judged = shown[0]
    corner = max((_slopes(judged, d) for d in _bent(judged)), key=lambda c: abs(c.right - c.left))
    cause = _cause(lab, judged)
    name = lab.source.name(judged.trace.buffers[0])
    maker = f" of `{cause.name}` ({cause.location})" if cause else ""
    low, high = sorted((corner.left, corner.right))
    is_valid = low - 0.1 * (high - low) <= corner.autodiff <= high + 0.1 * (high - low)
    choice = "one of the valid choices" if is_valid else "neither of the two nor a value between them"
    location = cause.location if cause else places.of_site(lab, lab.event(judged.consumption.pause).site)
    return [
        remark(
            NAME,
            f"`{name}` stands on a corner of the objective",
            f"In iteration {judged.consumption.iteration} `{name}` stands on a corner{maker}: along one direction the "
            f"slope is {corner.left:.4g} on one side and {corner.right:.4g} on the other. Autodiff takes "
            f"{corner.autodiff:.4g}, {choice}.",
            next_step="Start a little off the corner, or replace it by a smooth function, to have the rest checked.",
            location=location,
            parameters=parameter_names(lab, shown),
            evidence=[
                Number(label="slope on one side", value=corner.left),
                Number(label="slope on the other side", value=corner.right),
                Number(label="autodiff", value=corner.autodiff),
                Number(label="relative step", value=corner.h),
            ],
        )
    ]


def _is_on_corner(judged: Judged) -> bool:
    """Differences along some direction found a corner, and did not decide because of it."""
    is_open = judged.by_differences.status == "undecided"
    return is_open and judged.problem is not None and bool(_bent(judged))


def _bent(judged: Judged) -> list[DirectionCheck]:
    return [
        d for d in judged.by_differences.directions
        if d.shape == "kink" and sum(r.failure is None for r in d.rungs) >= 2
    ]  # fmt: skip


def _slopes(judged: Judged, direction: DirectionCheck) -> Corner:
    assert judged.problem is not None
    assert judged.problem.baseline.value is not None
    f0 = float(judged.problem.baseline.value)
    usable = [r for r in direction.rungs if r.failure is None]
    rung = next((r for r in usable if r.h == direction.h), usable[len(usable) // 2])
    assert rung.plus is not None
    assert rung.minus is not None
    return Corner((f0 - rung.minus) / rung.h, (rung.plus - f0) / rung.h, rung.autodiff, rung.h)


def _cause(lab: Laboratory, judged: Judged) -> Expression | None:
    kernels = kernels_of(steps_of(lab, judged))
    settlement = judged.settlement
    rough = [k.kernel for k in settlement.kernels if k.status != "agrees"] if settlement is not None else []
    ordered = [*(k for k in kernels if k in rough), *(k for k in kernels if k not in rough)]
    found = list(expressions(lab, ordered, _corner))
    own = [e for e in found if e.kernel in rough]
    return min(own or found, key=lambda e: CORNERS.index(e.name), default=None)


def _corner(node: ast.AST) -> str | None:
    if isinstance(node, ast.If | ast.IfExp):
        return "if"
    name = called(node)
    return name if name in CORNERS else None
