"""unconverged-solver

## What it is
An iterative solver on the tape stops after a fixed number of passes, long before its result stops changing. The
gradient is right for the objective that is computed; the objective of the converged result is another one, and its
gradient may point elsewhere.

## Why it happens
A handful of relaxation sweeps, Newton steps or fixed-point iterations, chosen for speed or never checked.

## What is measured
A block of launches that an iteration repeats, each pass the same map (equal numbers, the same arrays) of what the one
before left, with only the last result in use. How much the last pass still changed the result, and how much less than
the one before (the contraction rate). Then the block is repeated until the change is below 1e-4 of what it was, and the
objective and its slope along the program's gradient are taken again.

## What proves it
With the block repeated, the objective or its slope differs by more than a tenth.

## Known limits
Steps of a simulation are a repeated block as well, and one that settles has a fixed point too. Names decide nothing;
three experiments on the last pass do. No number it is given may be a step: with that number at 0 the pass must not
become the identity. An element must keep less than half of a change made to it, on average: a sweep replaces the value,
a time step adds to it. And the first state must not depend on the parameter. So damped iterations that keep more than
half of the old value are missed, and so are those whose damping is an argument. An explicit diffusion step at its
stability limit, with the step written into the kernel, is a Jacobi sweep, and is reported as one. Passes made of
anything but launches, or of launches that write single elements of one long array, are not repeated.

## Bad
    import warp as wp


    @wp.kernel
    def sweep(h: wp.array(dtype=float), p: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        if i > 0 and i < 15:
            out[i] = 0.5 * (h[i - 1] + h[i + 1] + p[0] * p[0])


    @wp.kernel
    def miss(h: wp.array(dtype=float), loss: wp.array(dtype=float)):
        loss[0] = (h[7] - 3.0) * (h[7] - 3.0)


    p = wp.array([0.5], dtype=float, requires_grad=True)
    h = wp.zeros(16, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for _ in range(8):
            out = wp.zeros(16, dtype=float, requires_grad=True)
            wp.launch(sweep, dim=16, inputs=[h, p], outputs=[out])
            h = out
        wp.launch(miss, dim=1, inputs=[h], outputs=[loss])
    tape.backward(loss)
    print(p.grad.numpy())

## Good
    import warp as wp


    @wp.kernel
    def sweep(h: wp.array(dtype=float), p: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        if i > 0 and i < 7:
            out[i] = 0.5 * (h[i - 1] + h[i + 1] + p[0] * p[0])


    @wp.kernel
    def miss(h: wp.array(dtype=float), loss: wp.array(dtype=float)):
        loss[0] = (h[4] - 3.0) * (h[4] - 3.0)


    p = wp.array([0.5], dtype=float, requires_grad=True)
    h = wp.zeros(8, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for _ in range(80):
            out = wp.zeros(8, dtype=float, requires_grad=True)
            wp.launch(sweep, dim=8, inputs=[h, p], outputs=[out])
            h = out
        wp.launch(miss, dim=1, inputs=[h], outputs=[loss])
    tape.backward(loss)
    print(p.grad.numpy())

## References
Saad: Iterative methods for sparse linear systems (2003), chapter 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..record.plan import Objective, Plan
from ..schema import Finding, Number
from . import places
from .passes import Passes
from .remarks import parameter_names, remark, steps_of
from .repeated_block import Block, longest_block

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

NAME = "unconverged-solver"

REMAINING = 0.05
"""Share of the result that is still missing, from which on a closer look is taken."""
CONVERGED = 1e-4
MOST_PASSES = 4000
DIFFERENT = 0.1
STEP = 2.0**-8
KEPT = 0.5
"""Share of a change to an element that one pass leaves in it, from which on the pass is a step and no sweep."""


@dataclass(frozen=True)
class Convergence:
    """`residual`: relative change by the last pass; `rate`: that over the change by the pass before it."""

    residual: float
    rate: float

    @property
    def remaining(self) -> float:
        """Change still to come, relative to the result, if the rate stays."""
        return self.residual * self.rate / (1.0 - self.rate)

    @property
    def passes_left(self) -> int:
        """Passes until the change is `CONVERGED` of what it is now."""
        return min(MOST_PASSES, math.ceil(math.log(CONVERGED) / math.log(self.rate)))


@dataclass(frozen=True)
class Outcome:
    """Objective and its slope along the program's gradient."""

    objective: float
    slope: float


def remarks(lab: Laboratory) -> list[Finding]:
    """At most one, about the first iteration."""
    judged = next((j for j in lab.assessment.judged if j.problem is not None and j.check.status == "agrees"), None)
    if judged is None or not lab.assessment.is_deterministic or not judged.consumption.gradient.any():
        return []
    block = longest_block(steps_of(lab, judged))
    if block is None or not _is_candidate(lab, judged, block):
        return []
    convergence = _convergence(lab, judged, block)
    if convergence is None or not 0.0 < convergence.rate < 1.0 or convergence.remaining < REMAINING:
        return []
    now, converged = _outcome(judged, None), _outcome(judged, _repeated(block, convergence.passes_left))
    if now is None or converged is None or not _differs(now, converged):
        return []
    kept = _kept_by_a_sweep(lab, judged, block)
    return [] if kept is None else [_remark(lab, judged, block, convergence, kept, now, converged)]


def _remark(
    lab: Laboratory,
    judged: Judged,
    block: Block,
    convergence: Convergence,
    kept: float,
    now: Outcome,
    converged: Outcome,
) -> Finding:
    last = block.last[0]
    location = places.of_site(lab, last.site)
    count = len(block.passes)
    direction = ", the other way" if converged.slope < 0.0 else ""
    return remark(
        NAME,
        f"`{last.name}` is repeated {count} times and is far from converged",
        f"The last of {count} passes of `{last.name}`{places.where(location)} still changes the result by "
        f"{convergence.residual:.1%}, {convergence.rate:.3f} times as much as the one before. After "
        f"{convergence.passes_left} more the objective is {converged.objective:.4g} instead of {now.objective:.4g}, "
        f"and its slope along the program's gradient {converged.slope:.3g} instead of {now.slope:.3g}{direction}. The "
        f"gradient is right for what is computed. A pass keeps {kept:.0%} of a change to its state, as a sweep of a "
        "solver does; if it is a step in time after all, nothing is amiss.",
        next_step=f"Repeat until the change is small, {count + convergence.passes_left} passes at this rate, or "
        "differentiate the converged result implicitly.",
        location=location,
        parameters=parameter_names(lab, [judged]),
        evidence=[
            Number(label="relative change by the last pass", value=convergence.residual),
            Number(label="contraction rate", value=convergence.rate),
            Number(label="share of a change to the state that a pass keeps", value=kept),
            Number(label="objective", value=now.objective),
            Number(label="objective of the converged result", value=converged.objective),
            Number(label="slope along the gradient", value=now.slope),
            Number(label="that of the converged objective", value=converged.slope),
        ],
    )


def _is_candidate(lab: Laboratory, judged: Judged, block: Block) -> bool:
    """The block could be a solver's passes, from what was recorded."""
    iteration = [e for e in lab.events if e.iteration == judged.consumption.iteration]
    first_backward = min(b.event.seq for b in judged.consumption.backwards)
    return (
        bool(block.state)
        and block.is_one_map()
        and not block.starts_from_parameter()
        and not block.is_watched(iteration, first_backward)
    )


def _kept_by_a_sweep(lab: Laboratory, judged: Judged, block: Block) -> float | None:
    """Share of a change that the last pass leaves in place; None if it is a step, or if that cannot be told."""
    passes = Passes(lab, judged, block)
    kept = passes.kept()
    return None if kept is None or kept > KEPT or passes.step_argument() is not None else kept


def _convergence(lab: Laboratory, judged: Judged, block: Block) -> Convergence | None:
    """What the last three passes read of what the passes before them left."""
    firsts = [p[0] for p in block.passes[-3:]]
    results = {t.buffer for p in block.passes for s in p for t in s.event.touches if t.writes}
    run = lab.session.start(Plan(iterations=10**9, pauses=[s.event.seq for s in firsts]))
    states: list[np.ndarray] = []
    try:
        for number, step in enumerate(firsts):
            if number:
                run.resume()
            message = run.wait(lab.session.limits.seconds)
            if message is None or message["type"] != "paused":
                return None
            read = dict.fromkeys(t.buffer for t in step.event.touches if t.reads and t.buffer in results)
            contents = [c.astype(np.float64).ravel() for c in (run.contents(b) for b in read) if c is not None]
            states.append(np.concatenate([np.zeros(0), *contents]))
    finally:
        run.close()
    if len({s.shape for s in states}) != 1 or states[0].size == 0:
        return None
    earlier, later = (float(np.linalg.norm(states[k + 1] - states[k])) for k in range(2))
    size = float(np.linalg.norm(states[-1]))
    return Convergence(later / size, later / earlier) if size > 0.0 and earlier > 0.0 else None


def _repeated(block: Block, times: int) -> dict[str, object]:
    events = [event.seq for event in block.last]
    return {"name": "repeat-block", "events": events, "links": [list(link) for link in block.links], "times": times}


def _outcome(judged: Judged, intervention: dict[str, object] | None) -> Outcome | None:
    """Three forward runs along the gradient."""
    assert judged.problem is not None
    assert judged.evaluator is not None
    x, g = judged.problem.x, judged.consumption.gradient
    size = max(float(np.sqrt(np.mean(x.astype(np.float64) ** 2))), 1e-3)
    direction = g / np.linalg.norm(g)
    ahead, behind = ((x + sign * STEP * size * direction).astype(x.dtype) for sign in (1.0, -1.0))
    objective = Objective(
        judged.objective.contributions,
        judged.objective.last_backward,
        interventions=[intervention] if intervention is not None else [],
    )
    here, plus, minus = judged.evaluator.for_objective(objective)([x, ahead, behind])
    if here.value is None or plus.value is None or minus.value is None:
        return None
    length = float(np.linalg.norm(ahead.astype(np.float64) - behind.astype(np.float64)))
    return Outcome(here.value, (plus.value - minus.value) / length) if length > 0.0 else None


def _differs(now: Outcome, converged: Outcome) -> bool:
    pairs = ((now.objective, converged.objective), (now.slope, converged.slope))
    return any(abs(a - b) > DIFFERENT * max(abs(a), abs(b)) for a, b in pairs)
