"""chaotic-forward

## What it is
The program multiplies any difference between two runs by a factor above 1 in each step. After enough steps the rounding
of float32 itself is as large as the state: the gradient may be exact for the run at hand, and still say nothing about
the run a small step away.

## Why it happens
Chaotic or unstable dynamics: double pendulums, turbulence, bodies in contact, an explicit integrator beyond its stable
step.

## What is measured
Two runs whose parameter differs by a few units in the last place. At a dozen launches along the way the arrays that
depend on the parameter are compared; the growth of their difference per launch follows from a fit over the stretch in
which it grows.

## What proves it
Differences of the objective find no slope at any step size, and the difference between the two runs grows by orders of
magnitude, more than in proportion to the number of steps.

## Known limits
Growth in part of a large state is averaged over the array. A program of few launches that loops inside a kernel gives
no points to fit.

## Bad
    import warp as wp


    @wp.kernel
    def step(x: wp.array(dtype=float), k: int):
        x[k + 1] = 3.9 * x[k] * (1.0 - x[k])


    @wp.kernel
    def begin(p: wp.array(dtype=float), x: wp.array(dtype=float)):
        x[0] = p[0]


    p = wp.array([0.3], dtype=float, requires_grad=True)
    x = wp.zeros(121, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(begin, dim=1, inputs=[p], outputs=[x])
        for k in range(120):
            wp.launch(step, dim=1, inputs=[x, k])
        wp.copy(loss, x, 0, 120, 1)
    tape.backward(loss)
    print(p.grad.numpy())

## Good
    import warp as wp


    @wp.kernel
    def step(x: wp.array(dtype=float), k: int):
        x[k + 1] = 2.8 * x[k] * (1.0 - x[k])


    @wp.kernel
    def begin(p: wp.array(dtype=float), x: wp.array(dtype=float)):
        x[0] = p[0]


    p = wp.array([0.3], dtype=float, requires_grad=True)
    x = wp.zeros(9, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(begin, dim=1, inputs=[p], outputs=[x])
        for k in range(8):
            wp.launch(step, dim=1, inputs=[x, k])
        wp.copy(loss, x, 0, 8, 1)
    tape.backward(loss)
    print(p.grad.numpy())

## References
Metz, Freeman, Schoenholz, Kachman: Gradients are not all you need (2021).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..assess import flow
from ..record.plan import Plan, Write
from ..schema import Finding, Number, Series
from . import places
from .remarks import parameter_names, remark, steps_of

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

NAME = "chaotic-forward"

POINTS = 14
NUDGE = 2.0**-22
"""Relative change of the parameter: a few units in the last place."""
ROUNDING = 2.0**-24
SATURATED = 0.03
"""Relative difference from which on the two runs no longer grow apart exponentially."""
LEAST_GROWTH = 1e3


@dataclass(frozen=True)
class Growth:
    """Relative difference of two runs, at launches counted from the first; `factor` per launch."""

    launches: list[int]
    differences: list[float]
    factor: float

    @property
    def horizon(self) -> float:
        """Launches after which rounding has grown to the size of the state."""
        return math.log(1.0 / ROUNDING) / math.log(self.factor)


def remarks(lab: Laboratory) -> list[Finding]:
    """At most one, about the first check in which differences blew up."""
    shown = [j for j in lab.assessment.judged if _is_wild(j)]
    if not shown:
        return []
    judged = shown[0]
    launches = _repeated(lab, judged)
    growth = _growth(lab, judged, launches) if len(launches) >= POINTS else None
    if growth is None:
        return []
    first = launches[0].event
    location = places.of_site(lab, first.site)
    name = lab.source.name(judged.trace.buffers[0])
    total = growth.factor ** len(launches)
    return [
        remark(
            NAME,
            "differences between runs grow from step to step",
            f"A change of `{name}` in its last digits grows by a factor of {growth.factor:.3f} with each launch of "
            f"`{first.name}`{places.where(location)}: {total:.1g} over all {len(launches)}, if it went on. After some "
            f"{growth.horizon:.0f} of them rounding decides, and differences of the objective find no slope.",
            next_step=f"Judge a run of at most {max(1, int(0.5 * growth.horizon))} steps, for example with --set on "
            "the number of steps; gradients through longer ones will not help an optimiser.",
            location=location,
            parameters=parameter_names(lab, shown),
            evidence=[
                Number(label="growth per launch", value=growth.factor),
                Number(label="launches until rounding decides", value=growth.horizon),
                Series(
                    label="relative difference of two runs over launches",
                    x=[float(n) for n in growth.launches],
                    y=growth.differences,
                ),
            ],
        )
    ]


def _is_wild(judged: Judged) -> bool:
    return judged.by_differences.status == "undecided" and judged.problem is not None and judged.by_differences.growth


def _repeated(lab: Laboratory, judged: Judged) -> list[flow.Step]:
    """Launches of the kernel that is launched most often between parameter and objective."""
    steps = [s for s in steps_of(lab, judged) if s.event.kind == "launch"]
    if not steps:
        return []
    name = Counter(s.event.name for s in steps).most_common(1)[0][0]
    return [s for s in steps if s.event.name == name]


def _growth(lab: Laboratory, judged: Judged, launches: list[flow.Step]) -> Growth | None:
    """Compare two runs before some of the launches, and fit the growth while it lasts."""
    chosen = sorted({round(i * (len(launches) - 1) / (POINTS - 1)) for i in range(POINTS)})
    base = _states(lab, judged, [launches[i] for i in chosen], 0.0)
    moved = _states(lab, judged, [launches[i] for i in chosen], NUDGE)
    pairs = [(i, _difference(a, b)) for i, a, b in zip(chosen, base, moved, strict=False)]
    points = [(i, d) for i, d in pairs if d > 0.0 and math.isfinite(d)]
    growing = []
    for i, d in points:
        if d > SATURATED:
            break
        growing.append((i, math.log(d)))
    if len(growing) < 3:
        return None
    slope = float(np.polyfit([i for i, _ in growing], [d for _, d in growing], 1)[0])
    total = max(d for _, d in points) / points[0][1]
    # Growth in proportion to time doubles when time doubles; an exponential one is far above that.
    is_chaos = slope > 0.0 and total > LEAST_GROWTH and total > 20.0 * len(launches)
    return Growth([i for i, _ in points], [d for _, d in points], math.exp(slope)) if is_chaos else None


def _states(lab: Laboratory, judged: Judged, steps: list[flow.Step], nudge: float) -> list[list[np.ndarray]]:
    """Contents of what each launch reads that depends on the parameter, just before it runs."""
    assert judged.problem is not None
    x = judged.problem.x
    file = Path(lab.session.scratch) / f"nudge-{judged.consumption.iteration}-{nudge}.npy"
    size = np.maximum(np.abs(x.astype(np.float64)), 1e-3)
    np.save(file, (x + nudge * size).astype(x.dtype))
    write = Write(judged.consumption.pause, judged.consumption.buffer, str(file))
    pauses = [s.event.seq for s in steps]
    run = lab.session.start(Plan(iterations=10**9, writes=[write], pauses=pauses))
    found: list[list[np.ndarray]] = []
    try:
        for number, step in enumerate(steps):
            if number:
                run.resume()
            message = run.wait(lab.session.limits.seconds)
            if message is None or message["type"] != "paused":
                break
            contents = [run.contents(b) for b in dict.fromkeys(t.buffer for t in step.sources)]
            found.append([c.astype(np.float64).ravel() for c in contents if c is not None])
    finally:
        run.close()
    return found


def _difference(a: list[np.ndarray], b: list[np.ndarray]) -> float:
    """Size of the difference over that of the state."""
    if not a or len(a) != len(b) or any(p.shape != q.shape for p, q in zip(a, b, strict=True)):
        return float("nan")
    changed = sum(float(np.sum((p - q) ** 2)) for p, q in zip(a, b, strict=True))
    size = sum(float(np.sum(p**2)) for p in a)
    return math.sqrt(changed / size) if size > 0.0 else float("nan")
