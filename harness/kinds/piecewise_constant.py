"""piecewise-constant

## What it is
The objective moves in steps: it stands still while a parameter changes a little and jumps when it changes more. Its
derivative is 0 almost everywhere, autodiff rightly says so, and no optimiser that follows gradients can use it.

## Why it happens
A float becomes an integer on its way to the objective: `int(x)`, `wp.floor`, `wp.round`, a look-up in a table by
nearest cell, a count, a comparison.

## What is measured
A ladder of central differences. On the finest rungs the objective is the same bit for bit, on coarser ones it moves by
more than rounding can explain.

## What proves it
The standstill and the jump are measured; that a rounding expression in a kernel between the parameter and the
objective makes them is read from the source. Where the rounding has an adjoint written by hand (a straight-through
estimator) the gradient is deliberately another one, and differences cannot judge it.

## Known limits
Treads much narrower than the finest step look like a slope, which is then what is compared. Of several rounding
expressions the one nearest to the parameter is named; without any, the nearest comparison that reads an array, which
need not be the one.

## Bad
    import warp as wp


    @wp.kernel
    def look_up(x: wp.array(dtype=float), table: wp.array(dtype=float), loss: wp.array(dtype=float)):
        wp.atomic_add(loss, 0, table[int(x[wp.tid()])])


    table = wp.array([0.2, 0.9, 0.4, 0.1, 0.7], dtype=float)
    x = wp.array([1.3, 2.6], dtype=float, requires_grad=True)
    for _ in range(5):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(look_up, dim=2, inputs=[x, table], outputs=[loss])
        tape.backward(loss)
        x.assign(x.numpy() - 0.1 * x.grad.numpy())
        tape.zero()

## Good
    import warp as wp


    @wp.kernel
    def look_up(x: wp.array(dtype=float), table: wp.array(dtype=float), loss: wp.array(dtype=float)):
        p = x[wp.tid()]
        i = int(p)
        w = p - float(i)
        wp.atomic_add(loss, 0, (1.0 - w) * table[i] + w * table[i + 1])


    table = wp.array([0.2, 0.9, 0.4, 0.1, 0.7], dtype=float)
    x = wp.array([1.3, 2.6], dtype=float, requires_grad=True)
    for _ in range(5):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(look_up, dim=2, inputs=[x, table], outputs=[loss])
        tape.backward(loss)
        x.assign(x.numpy() - 0.1 * x.grad.numpy())
        tape.zero()

## References
Bengio, Léonard, Courville: Estimating or propagating gradients through stochastic neurons (2013), for the
straight-through estimator.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..schema import Finding, Location, Number
from . import places
from .remarks import Expression, called, expressions, kernels_of, parameter_names, remark, steps_of

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

NAME = "piecewise-constant"

ROUNDING = {
    "int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "floor", "ceil", "round", "rint", "trunc", "sign", "step",
}  # fmt: skip
ROUNDING_ULPS = 8.0


@dataclass(frozen=True)
class Tread:
    """`still`: largest step without any change; `moving`: smallest with one; in the parameter's unit. `jump`: smallest
    change of the objective."""

    still: float
    moving: float
    jump: float


def remarks(lab: Laboratory) -> list[Finding]:
    """At most one, about the first check that shows a staircase, and one about a straight-through estimator."""
    shown = [j for j in lab.assessment.judged if j.by_differences.is_piecewise_constant and j.problem is not None]
    if not shown:
        return []
    judged = shown[0]
    tread = _tread(judged)
    if tread is None:
        return []
    kernels = kernels_of(steps_of(lab, judged))
    rounding = next(expressions(lab, kernels, _rounding), None)
    comparison = next(expressions(lab, kernels, _comparison), None)
    name = lab.source.name(judged.trace.buffers[0])
    has_gradient = bool(np.any(judged.consumption.gradient))
    result = [_remark(lab, shown, rounding, comparison, tread, name, has_gradient)]
    return result + (_straight_through(lab, shown, kernels) if has_gradient else [])


def _remark(
    lab: Laboratory,
    shown: list[Judged],
    rounding: Expression | None,
    comparison: Expression | None,
    tread: Tread,
    name: str,
    has_gradient: bool,
) -> Finding:
    consequence = (
        "The gradient that is used is not 0: it is not that of this objective."
        if has_gradient
        else "Its derivative is 0 almost everywhere, which is what autodiff gives, and an optimiser cannot use it."
    )
    location: Location | None
    next_step = "Interpolate between the values on both sides of the rounding, or search without gradients."
    if rounding is not None:
        maker, location = f" `{rounding.name}` ({rounding.location}) makes the steps.", rounding.location
    elif comparison is not None:
        maker = f" A comparison such as `{comparison.name}` ({comparison.location}) can make them."
        location = comparison.location
        next_step = "Replace it by the share (of a step, of a cell) for which it holds, or search without gradients."
    else:
        maker, location = "", places.of_site(lab, lab.event(shown[0].consumption.pause).site)
    return remark(
        NAME,
        f"the objective moves in steps with `{name}`",
        f"The objective stands still while `{name}` moves by {tread.still:.2g} and jumps by {tread.jump:.2g} or more "
        f"when it moves by {tread.moving:.2g}.{maker} {consequence}",
        next_step=next_step,
        location=location,
        parameters=parameter_names(lab, shown),
        evidence=[
            Number(label="largest step without change", value=tread.still),
            Number(label="smallest step with a change", value=tread.moving),
            Number(label="smallest jump of the objective", value=tread.jump),
        ],
    )


def _tread(judged: Judged) -> Tread | None:
    assert judged.problem is not None
    assert judged.problem.baseline.value is not None
    x, f0 = judged.problem.x.astype(np.float64), float(judged.problem.baseline.value)
    size = max(float(np.sqrt(np.mean(x**2))), 1e-3)
    changes: dict[float, float] = {}
    for direction in judged.by_differences.directions:
        for rung in direction.rungs:
            for value in (rung.plus, rung.minus):
                if value is not None:
                    changes.setdefault(rung.h, 0.0)
                    changes[rung.h] = max(changes[rung.h], abs(value - f0))
    rounding = ROUNDING_ULPS * float(np.spacing(np.float32(abs(f0))))
    still = [h for h, change in changes.items() if change == 0.0]
    moving = [h for h, change in changes.items() if change > rounding]
    if not still or not moving:
        return None
    jumps = [
        abs(v - f0) for d in judged.by_differences.directions for r in d.rungs for v in (r.plus, r.minus)
        if v is not None and abs(v - f0) > rounding
    ]  # fmt: skip
    return Tread(max(still) * size, min(moving) * size, min(jumps))


def _rounding(node: ast.AST) -> str | None:
    name = called(node)
    if name not in ROUNDING or not isinstance(node, ast.Call) or not node.args:
        return None
    argument = node.args[0]
    is_index = isinstance(argument, ast.Call) and called(argument) == "tid"
    return None if isinstance(argument, ast.Constant) or is_index else name


def _comparison(node: ast.AST) -> str | None:
    """A comparison of sizes with an element of an array in it, as against the guard of an index."""
    is_ordered = isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
    return ast.unparse(node) if is_ordered and any(isinstance(n, ast.Subscript) for n in ast.walk(node)) else None


def _straight_through(lab: Laboratory, shown: list[Judged], kernels: list[str]) -> list[Finding]:
    """A rounding whose adjoint was written by hand to let the gradient pass."""
    described: dict[str, Any] = lab.recording.environment["kernels"]
    for kernel in kernels:
        for function in described.get(kernel, {}).get("functions", ()):
            custom = function["custom_grad"]
            if custom is None:
                continue
            location = places.of_line(lab, custom["file"], custom["line"], custom["name"])
            return [
                remark(
                    "custom-adjoint",
                    f"`{function['name']}` has an adjoint written by hand",
                    f"`{function['name']}` rounds, and its adjoint{places.where(location)} lets a gradient pass where "
                    "the derivative is 0. If it is meant as a straight-through estimator it does what it should; "
                    "differences of the objective cannot judge it.",
                    next_step="Check the rest by replacing the rounding with the identity.",
                    location=location,
                    parameters=parameter_names(lab, shown),
                    confidence="suspected",
                )
            ]
    return []
