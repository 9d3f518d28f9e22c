"""step-size

## What it is
The gradient is right and the step along it too long: each update overshoots the minimum along its own line by more than
it was away from it, so the objective gets worse from update to update.

## Why it happens
Along a direction with curvature c a gradient step of rate r multiplies the distance from the minimum by 1 - r c: beyond
r c = 2 that is larger than 1. A rate that suited another scale, a sum where there was a mean, a stiff parameter beside
soft ones.

## What is measured
The update u that the program really made, and the change of the gradient between two points along it: u.H.u. With plain
descent u = -r g, so that u.H.u / -(g.u) is r times the curvature, and 2 is the limit whatever the optimiser. The
objective at the parameter values after the update, everything else as before it.

## What proves it
The quotient is above 2, the objective is worse after the update, and it was worse from iteration to iteration.

## Known limits
Looked for only where the objective grew over the iterations that were judged, every gradient of them is right, and
backward starts from a loss. A step that is too long much later than that is not seen.

## Bad
    import warp as wp


    @wp.kernel
    def cost(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(loss, 0, 50.0 * (x[i] - 1.0) * (x[i] - 1.0))


    x = wp.array([0.2, 0.5], dtype=float, requires_grad=True)
    for _ in range(6):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(cost, dim=2, inputs=[x], outputs=[loss])
        tape.backward(loss)
        x.assign(x.numpy() - 0.03 * x.grad.numpy())
        tape.zero()

## Good
    import warp as wp


    @wp.kernel
    def cost(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(loss, 0, 50.0 * (x[i] - 1.0) * (x[i] - 1.0))


    x = wp.array([0.2, 0.5], dtype=float, requires_grad=True)
    for _ in range(6):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(cost, dim=2, inputs=[x], outputs=[loss])
        tape.backward(loss)
        x.assign(x.numpy() - 0.008 * x.grad.numpy())
        tape.zero()

## References
Nesterov: Introductory lectures on convex optimization (2004), section 1.2.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..execute.session import ExecutionFailed
from ..record.events import Recording
from ..record.plan import Plan, Write
from ..schema import Finding, Location, Number
from ..trace.consumption import Consumptions
from . import places
from .remarks import parameter_names, remark

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

NAME = "step-size"

STABLE = 2.0
PROBE = 2.0**-3
"""Part of the update between the middle and each of the two points whose gradients are compared."""


@dataclass(frozen=True)
class Update:
    """The change of all parameters between iteration `iteration` and the next."""

    iteration: int
    before: list[Judged]
    change: list[np.ndarray]

    @property
    def slope(self) -> float:
        """First-order change of the objective, g.u."""
        return sum(float(np.sum(j.consumption.gradient * u)) for j, u in zip(self.before, self.change, strict=True))

    @property
    def rate(self) -> float | None:
        """r where the update is -r g; None if it is something else."""
        g = np.concatenate([j.consumption.gradient.ravel() for j in self.before])
        u = np.concatenate([c.ravel() for c in self.change])
        size = float(np.linalg.norm(g) * np.linalg.norm(u))
        is_plain = size > 0.0 and -float(g @ u) > 0.9999 * size
        return float(np.linalg.norm(u) / np.linalg.norm(g)) if is_plain else None


@dataclass(frozen=True)
class Overshoot:
    """What was measured along one update: `product` is rate times curvature."""

    product: float
    objective_before: float
    objective_after: float


def remarks(lab: Laboratory) -> list[Finding]:
    """At most one, about the last update that was seen."""
    update = _last_update(lab)
    if update is None or not _gets_worse(lab, update):
        return []
    overshoot = _measure(lab, update)
    if overshoot is None or overshoot.product <= STABLE:
        return []
    is_worse = (overshoot.objective_after - overshoot.objective_before) * update.slope < 0.0
    return [_remark(lab, update, overshoot)] if is_worse else []


def _remark(lab: Laboratory, update: Update, overshoot: Overshoot) -> Finding:
    largest = STABLE / overshoot.product
    rate = update.rate
    names = parameter_names(lab, update.before)
    shown = ", ".join(f"`{n}`" for n in names[:3]) + (" and others" if len(names) > 3 else "")
    theirs = f"the rate {rate:.3g}" if rate is not None else "the step"
    bound = _down(rate * largest if rate is not None else largest)
    stable = f"a rate of {bound:g}" if rate is not None else f"{bound:g} of this step"
    return remark(
        NAME,
        "the step is too long for the curvature along it",
        f"The update of {shown} after iteration {update.iteration} takes the objective from "
        f"{overshoot.objective_before:.4g} to {overshoot.objective_after:.4g}: {theirs} times the curvature along it "
        f"is {overshoot.product:.2f}, and above 2 each step overshoots further. No step above {stable} is stable. "
        "The gradient itself is right.",
        next_step=f"Take half of {stable}, or let a line search choose: along other directions the limit may be lower.",
        location=_place(lab, update),
        parameters=names,
        evidence=[
            Number(label="step times curvature (stable below 2)", value=overshoot.product),
            Number(label="largest stable part of the step", value=largest),
            Number(label="objective before the update", value=overshoot.objective_before),
            Number(label="objective after the update", value=overshoot.objective_after),
        ],
    )


def _last_update(lab: Laboratory) -> Update | None:
    """The last update between two judged iterations; None unless every gradient judged is right."""
    judged = lab.assessment.judged
    is_right = judged and all(j.check.is_agreement for j in judged)
    if not is_right or not lab.assessment.is_deterministic or any(j.problem is None for j in judged):
        return None
    last = max(j.consumption.iteration for j in judged)
    before: list[Judged] = []
    change: list[np.ndarray] = []
    for earlier in (j for j in judged if j.consumption.iteration == last - 1):
        later = next((j for j in judged if j.trace is earlier.trace and j.consumption.iteration == last), None)
        if later is None or later.problem is None or earlier.problem is None:
            return None
        if later.problem.x.shape != earlier.problem.x.shape:
            return None
        before.append(earlier)
        change.append(later.problem.x.astype(np.float64) - earlier.problem.x.astype(np.float64))
    update = Update(last - 1, before, change)
    return update if before and update.slope != 0.0 else None


def _gets_worse(lab: Laboratory, update: Update) -> bool:
    """The objective moved against the updates, over the last one and over all of them together."""
    values = [_value(lab.recording, k) for k in range(update.iteration + 2)]
    known = [v for v in values if v is not None]
    if len(known) < len(values) or any(j.objective.contributions[0].seed_file for j in update.before):
        return False
    sign = -np.sign(update.slope)
    return bool(sign * (known[-1] - known[-2]) > 0.0 and sign * (known[-1] - known[0]) > 0.0)


def _value(recording: Recording, iteration: int) -> float | None:
    """Sum of the losses of an iteration; None where a backward pass starts from something else."""
    total = 0.0
    for event in recording.events:
        if event.kind == "backward-begin" and event.iteration == iteration:
            loss = event.info.get("loss")
            if loss is None:
                return None
            total += float(loss["value"] - (loss["first_value"] if loss["accumulates"] else 0.0))
    return total


def _measure(lab: Laboratory, update: Update) -> Overshoot | None:
    """Three more runs: two for the curvature, one for the objective after the update."""
    ahead, behind, after = (_moved(lab, update, t) for t in (PROBE, -PROBE, 1.0))
    before = _value(lab.recording, update.iteration)
    if ahead is None or behind is None or after is None or before is None:
        return None
    curvature = 0.0
    for judged, change in zip(update.before, update.change, strict=True):
        gradients = [_gradient(r, judged) for r in (ahead, behind)]
        if gradients[0] is None or gradients[1] is None:
            return None
        curvature += float(np.sum((gradients[0] - gradients[1]) * change)) / (2.0 * PROBE)
    value = _value(after, update.iteration)
    return None if value is None else Overshoot(curvature / -update.slope, before, value)


def _moved(lab: Laboratory, update: Update, part: float) -> Recording | None:
    """A recording in which the parameters stand ``part`` of the update away from where they were."""
    writes = []
    for number, (judged, change) in enumerate(zip(update.before, update.change, strict=True)):
        assert judged.problem is not None
        file = Path(lab.session.scratch) / f"step-{update.iteration}-{number}-{part}.npy"
        np.save(file, (judged.problem.x + part * change).astype(judged.problem.x.dtype))
        writes.append(Write(judged.consumption.pause, judged.consumption.buffer, str(file)))
    try:
        return lab.session.record(Plan(iterations=update.iteration + 1, writes=writes))
    except ExecutionFailed:
        return None


def _gradient(recording: Recording, like: Judged) -> np.ndarray | None:
    wanted = like.consumption
    for trace in Consumptions(recording).parameters():
        for consumption in trace.consumptions:
            if (consumption.buffer, consumption.iteration) == (wanted.buffer, wanted.iteration):
                return consumption.gradient if consumption.gradient.shape == wanted.gradient.shape else None
    return None


def _place(lab: Laboratory, update: Update) -> Location | None:
    """The operation that wrote the parameter, else where its gradient was read."""
    buffers = {j.consumption.buffer for j in update.before}
    for event in lab.events:
        if event.iteration == update.iteration and buffers & set(event.info.get("updates", ())):
            return places.of_site(lab, event.site)
    reads = update.before[0].consumption.reads
    return places.of_site(lab, reads[-1].site) if reads else None


def _down(value: float) -> float:
    """Rounded towards zero to two digits: a limit must not be stated as larger than it is."""
    digit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / digit) * digit:.2g}")
