"""stochastic-forward

## What it is
Two runs of the program from the same parameters have different objectives, because the program draws new random numbers
each time. Its gradient is an estimate whose spread, not its correctness, limits the training.

## Why it happens
A generator without a seed, or seeded with the time: mini-batches, sampled noise, random starting states.

## What is measured
The objective and the gradient of the first iteration over several fresh runs: their standard deviations. Each gradient
is compared with differences within one draw: the perturbed runs are forks of the very run the gradient comes from.

## What proves it
The runs differ although nothing was changed; with the draw held fixed, they repeat.

## Known limits
Where the first iteration does not draw, its spread is 0 and only the fact that runs differ is reported.

## Bad
    import numpy as np
    import warp as wp


    @wp.kernel
    def miss(p: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
        d = p[0] - seen[wp.tid()]
        wp.atomic_add(loss, 0, d * d)


    rng = np.random.default_rng()
    p = wp.array([0.5], dtype=float, requires_grad=True)
    for _ in range(5):
        seen = wp.array(rng.normal(size=8), dtype=float)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(miss, dim=8, inputs=[p, seen], outputs=[loss])
        tape.backward(loss)
        p.assign(p.numpy() - 0.01 * p.grad.numpy())
        tape.zero()

## Good
    import numpy as np
    import warp as wp


    @wp.kernel
    def miss(p: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
        d = p[0] - seen[wp.tid()]
        wp.atomic_add(loss, 0, d * d)


    rng = np.random.default_rng(7)
    p = wp.array([0.5], dtype=float, requires_grad=True)
    for _ in range(5):
        seen = wp.array(rng.normal(size=8), dtype=float)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(miss, dim=8, inputs=[p, seen], outputs=[loss])
        tape.backward(loss)
        p.assign(p.numpy() - 0.01 * p.grad.numpy())
        tape.zero()

## References
Glasserman: Monte Carlo methods in financial engineering (2003), section 7.1, on common random numbers.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING

import numpy as np

from ..execute.session import ExecutionFailed
from ..record.events import Recording
from ..record.plan import Plan
from ..schema import Finding, Location, Number
from ..trace.consumption import Consumptions
from . import places
from .remarks import parameter_names, remark

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory

NAME = "stochastic-forward"

RUNS = 4

DRAWS = {
    "rand", "randn", "random", "normal", "uniform", "choice", "permutation", "shuffle", "randint", "integers", "sample",
    "standard_normal", "randperm", "rand_like", "randn_like",
}  # fmt: skip
GENERATORS = {"default_rng", "RandomState", "Generator"}
CLOCKS = {"time", "time_ns", "perf_counter", "perf_counter_ns", "urandom", "getrandbits", "token_bytes"}


def remarks(lab: Laboratory) -> list[Finding]:
    """At most one, where the runs of the program differ."""
    if lab.assessment.is_deterministic:
        return []
    recordings = [lab.recording, *_fresh_runs(lab)]
    first = lab.assessment.judged[0]
    objectives = [v for v in (_objective(r) for r in recordings) if v is not None]
    gradients = [
        c.gradient for r in recordings for t in Consumptions(r).parameters() for c in t.consumptions
        if c.iteration == 0 and c.buffer == first.consumption.buffer
    ]  # fmt: skip
    spread, mean = _spread(objectives)
    relative = _relative_spread(gradients)
    agreeing = sum(j.check.status == "agrees" for j in lab.assessment.judged)
    location = _source_of_randomness(lab, recordings)
    return [
        remark(
            NAME,
            "the program is random from run to run",
            f"Over {len(recordings)} runs from the same parameters the objective of the first iteration is {mean:.4g} "
            f"with a standard deviation of {spread:.2g}, and the gradient varies by {relative:.0%} of its size"
            f"{'; the random numbers come from ' + str(location) if location else ''}. Within one draw "
            f"{agreeing} of {len(lab.assessment.judged)} gradients agree with differences.",
            next_step="Seed the generator to compare runs; use larger batches or a smaller step if the spread hurts.",
            location=location,
            parameters=parameter_names(lab, lab.assessment.judged),
            evidence=[
                Number(label="standard deviation of the objective", value=spread),
                Number(label="relative spread of the gradient", value=relative),
            ],
        )
    ]


def _fresh_runs(lab: Laboratory) -> list[Recording]:
    found = []
    for _ in range(RUNS - 1):
        try:
            found.append(lab.session.record(Plan(iterations=1)))
        except ExecutionFailed:
            break
    return found


def _objective(recording: Recording) -> float | None:
    """Sum of the losses of the first iteration."""
    losses = [
        float(e.info["loss"]["value"]) for e in recording.events
        if e.kind == "backward-begin" and e.iteration == 0 and e.info.get("loss") is not None
    ]  # fmt: skip
    return sum(losses) if losses else None


def _spread(values: list[float]) -> tuple[float, float]:
    """Standard deviation and mean."""
    return (float(np.std(values, ddof=1)), float(np.mean(values))) if len(values) > 1 else (0.0, float("nan"))


def _relative_spread(gradients: list[np.ndarray]) -> float:
    same = [g.ravel() for g in gradients if g.shape == gradients[0].shape]
    if len(same) < 2:
        return 0.0
    mean = np.mean(same, axis=0)
    deviation = np.sqrt(np.sum(np.var(same, axis=0, ddof=1)))
    size = float(np.linalg.norm(mean))
    return float(deviation) / size if size > 0.0 else 0.0


def _source_of_randomness(lab: Laboratory, recordings: list[Recording]) -> Location | None:
    """The generator without a seed, else the place that makes the first array whose contents differ."""
    files = dict.fromkeys(file for site in lab.recording.sites for file, _, _ in site)
    for file in files:
        if "site-packages" not in file:
            line = unseeded_line(linecache.getlines(file))
            if line is not None:
                return places.of_line(lab, file, line)
    return _first_difference(lab, recordings)


def unseeded_line(lines: list[str]) -> int | None:
    """Line of the first generator made without a seed, or of the first draw from a global one never seeded."""
    try:
        nodes = [n for n in ast.walk(ast.parse("".join(lines))) if isinstance(n, ast.Call)]
    except SyntaxError:
        return None
    nodes.sort(key=lambda n: n.lineno)
    is_seeded = any(_name(n) in ("seed", "manual_seed") and n.args for n in nodes)
    for node in nodes:
        name = _name(node)
        if name in GENERATORS and not node.args and not node.keywords:
            return node.lineno
        if name in (*GENERATORS, "seed", "manual_seed", "rand_init") and any(
            isinstance(n, ast.Call) and _name(n) in CLOCKS for a in node.args for n in ast.walk(a)
        ):
            return node.lineno
    for node in nodes:
        if not is_seeded and _name(node) in DRAWS and _module(node) in ("np.random", "numpy.random", "random", "torch"):
            return node.lineno
    return None


def _name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _module(node: ast.Call) -> str:
    return ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""


def _first_difference(lab: Laboratory, recordings: list[Recording]) -> Location | None:
    for other in recordings[1:]:
        for mine, theirs in zip(lab.events, other.events, strict=False):
            for a, b in zip(mine.touches, theirs.touches, strict=False):
                if a.reads and a.buffer == b.buffer and a.digest != b.digest:
                    return places.of_site(lab, lab.recording.buffers[a.buffer]["site"])
    return None
