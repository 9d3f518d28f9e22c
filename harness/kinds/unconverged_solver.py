"""unconverged-solver

## What it is
An iterative solver on the tape stops after a fixed number of passes, long before its result stops changing. The
gradient is right for the objective that is computed; the objective of the converged result is another one, and its
gradient may point elsewhere.

## Why it happens
A handful of relaxation sweeps, Newton steps or fixed-point iterations, chosen for speed or never checked.

## What is measured
The result of the last passes: how much the last one still changed it, and how much less than the one before (the
contraction rate). Then the last block of launches is repeated until the change is below 1e-4 of what it was, and the
objective and its slope along the program's gradient are taken again.

## What proves it
With the block repeated, the objective or its slope differs by more than a tenth.

## Known limits
Steps of a simulation look like passes of a solver. Only loops whose kernel, loop line or function is named like a
solver (sweep, jacobi, relax, solve ...), with no time step among the arguments, are looked at. Passes made of anything
but launches, or of launches that write single elements of one long array, are not repeated.

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

import ast
import linecache
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..assess.flow import Step
from ..record.plan import Objective, Plan
from ..schema import Finding, Number
from . import places
from .remarks import parameter_names, remark, steps_of

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

NAME = "unconverged-solver"

LONGEST_BLOCK = 4
LEAST_PASSES = 4
REMAINING = 0.05
"""Share of the result that is still missing, from which on a closer look is taken."""
CONVERGED = 1e-4
MOST_PASSES = 4000
DIFFERENT = 0.1
STEP = 2.0**-8

SOLVER_WORDS = re.compile(
    r"sweep|jacobi|gauss|seidel|\bsor\b|relax|solve|fixed_?point|poisson|pressure|equilib|converge|newton|picard|residual"
    r"|sinkhorn|richardson|multigrid|\biters?\b|iteration",
    re.IGNORECASE,
)
TIME_ARGUMENTS = {"dt", "h_t", "timestep", "time_step", "delta_t", "time", "t"}


@dataclass(frozen=True)
class Block:
    """The passes of a loop: launches per pass, all passes in order."""

    passes: list[list[Step]]

    @property
    def links(self) -> list[tuple[int, int, int, int]]:
        """(event, touch) written by the last pass, (event, touch) of the last pass that reads its counterpart."""
        before, last = self.passes[-2:]
        written = {
            t.buffer: (j, i) for j, step in enumerate(before) for i, t in enumerate(step.event.touches) if t.writes
        }
        found = []
        for step in last:
            for i, touch in enumerate(step.event.touches):
                if touch.reads and touch.buffer in written:
                    j, k = written[touch.buffer]
                    if last[j].event.touches[k].buffer != touch.buffer:
                        found.append((last[j].event.seq, k, step.event.seq, i))
        return found


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
    block = _block(steps_of(lab, judged))
    if block is None or not _is_solver(lab, block):
        return []
    convergence = _convergence(lab, judged, block)
    if convergence is None or not 0.0 < convergence.rate < 1.0 or convergence.remaining < REMAINING:
        return []
    now, converged = _outcome(judged, None), _outcome(judged, _repeated(block, convergence.passes_left))
    if now is None or converged is None or not _differs(now, converged):
        return []
    return [_remark(lab, judged, block, convergence, now, converged)]


def _remark(
    lab: Laboratory, judged: Judged, block: Block, convergence: Convergence, now: Outcome, converged: Outcome
) -> Finding:
    last = block.passes[-1][0].event
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
        "gradient is right for what is computed.",
        next_step=f"Repeat until the change is small, {count + convergence.passes_left} passes at this rate, or "
        "differentiate the converged result implicitly.",
        location=location,
        parameters=parameter_names(lab, [judged]),
        evidence=[
            Number(label="relative change by the last pass", value=convergence.residual),
            Number(label="contraction rate", value=convergence.rate),
            Number(label="objective", value=now.objective),
            Number(label="objective of the converged result", value=converged.objective),
            Number(label="slope along the gradient", value=now.slope),
            Number(label="that of the converged objective", value=converged.slope),
        ],
    )


def _block(steps: list[Step]) -> Block | None:
    """The longest run of a repeated sequence of taped launches."""
    names = [s.event.name if s.event.kind == "launch" and s.event.tape is not None else "" for s in steps]
    best: Block | None = None
    for period in range(1, LONGEST_BLOCK + 1):
        start = 0
        while start + 2 * period <= len(names):
            count = _repeats(names, start, period)
            if count >= LEAST_PASSES and (best is None or count * period > len(best.passes) * len(best.passes[0])):
                best = Block([steps[start + k * period : start + (k + 1) * period] for k in range(count)])
            start += max(1, (count - 1) * period)
    return best


def _repeats(names: list[str], start: int, period: int) -> int:
    pattern = names[start : start + period]
    if "" in pattern:
        return 0
    count = 1
    while names[start + count * period : start + (count + 1) * period] == pattern:
        count += 1
    return count


def _is_solver(lab: Laboratory, block: Block) -> bool:
    """The loop is named like a solver, and nothing that it passes like a time step."""
    words = []
    for step in block.passes[-1]:
        kernel = lab.recording.environment["kernels"].get(step.event.name, {})
        if TIME_ARGUMENTS & {str(a).lower() for a in kernel.get("arguments", ())}:
            return False
        words.append(step.event.name)
        place = lab.source.place(step.event.site)
        if place is not None:
            words += [place.function, _loop_line(place.file, place.line)]
    return any(SOLVER_WORDS.search(w) for w in words)


def _loop_line(file: str, line: int) -> str:
    """The header of the innermost loop around a line."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ""
    loops = [n for n in ast.walk(tree) if isinstance(n, ast.For | ast.While)]
    around = [n.lineno for n in loops if n.lineno <= line <= (n.end_lineno or n.lineno)]
    return linecache.getline(file, max(around)) if around else ""


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
    events = [s.event.seq for s in block.passes[-1]]
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
