"""Does the handed-in program consume the true gradient, at values it was never shown, with the same forward values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evals.case import Case
from evals.judge import Check, forward_is_unchanged, gradient_is_right, metric_is_reached
from evals.measure import Bench, Measurement, unseen
from evals.result import ScoredCheck
from evals.truth import Array, Reference


@dataclass(frozen=True)
class Baseline:
    """The case with its reference fix, measured once."""

    reference: Reference | None
    """None: the gradient of this case cannot be compared."""
    measured: Measurement | None


def score(
    bench: Bench, case: Case, workspace: Path, baseline: Baseline, seeds: tuple[int, ...], has_fix: bool
) -> list[ScoredCheck]:
    """Checks of the gradient, of the forward values and of the number the user complains about."""
    checks: list[Check] = []
    notes: list[Check] = []
    if baseline.reference is not None and baseline.measured is not None:
        measured = bench.measure(case, workspace)
        known = baseline.measured.initial()
        checks.append(gradient_is_right("gradient", case, baseline.reference, measured, known))
        checks.append(forward_is_unchanged("forward", case, baseline.reference, measured))
        checks.append(_start(measured, baseline.measured))
        notes.append(_update(measured, baseline.measured))
        for seed in seeds if measured.points else ():
            elsewhere = bench.measure(case, workspace, unseen(case, known, seed))
            name = f"at unseen values {seed}"
            checks.append(gradient_is_right(f"gradient {name}", case, baseline.reference, elsewhere, known))
            checks.append(forward_is_unchanged(f"forward {name}", case, baseline.reference, elsewhere))
    if case.metric is not None and (has_fix or case.expected.verdict == "correct"):
        checks.append(metric_is_reached("metric", case, bench.run(case, workspace)))
    elif baseline.reference is None:
        whole = bench.run(case, workspace)
        checks.append(Check("runs", not whole.failure, whole.failure))
    return [
        *(ScoredCheck(name=c.name, part="fix", value=float(c.passed), detail=c.detail) for c in checks),
        *(ScoredCheck(name=c.name, part="note", value=float(c.passed), detail=c.detail) for c in notes),
    ]


def _start(measured: Measurement, baseline: Measurement) -> Check:
    """The program still starts from the same parameter values."""
    found, wanted = measured.initial(), baseline.initial()
    moved = [name for name, value in wanted.items() if not _is_close(found.get(name), value)]
    return Check("start values", not moved, f"{', '.join(moved)} starts elsewhere" if moved else "")


def _update(measured: Measurement, baseline: Measurement) -> Check:
    """The first update is that of the reference fix: the optimiser and its settings are the same."""
    if len(measured.points) < 2 or len(baseline.points) < 2:
        return Check("same update", len(baseline.points) < 2, "there is no second iteration")
    off = []
    for name, after in baseline.points[1].parameters.items():
        step = float(np.linalg.norm(after - baseline.points[0].parameters.get(name, after)))
        found = measured.points[1].parameters.get(name)
        if found is None or found.shape != after.shape or float(np.linalg.norm(found - after)) > 0.1 * step + 1e-7:
            off.append(name)
    return Check("same update", not off, f"{', '.join(off)} moves otherwise" if off else "")


def _is_close(found: Array | None, wanted: Array) -> bool:
    return found is not None and found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-5, atol=1e-7)
