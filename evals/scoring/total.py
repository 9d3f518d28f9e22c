"""All parts of a trial's score."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from evals.corpus import StoredCase
from evals.measure import Bench
from evals.result import PARTS, ScoredCheck, part_value
from evals.scoring import causes, claims, intact, place, repair, verdict
from evals.scoring.handed_in import HandedIn
from evals.truth import BadReference, load_reference
from evals.validate import fixed_texts
from evals.workspace import write_texts


class Unscored(Exception):
    """The trial cannot be judged, and that is not the agent's doing."""


def baseline(bench: Bench, stored: StoredCase, folder: Path) -> repair.Baseline:
    """Measure the case with its reference fix, in ``folder``.

    Raises:
        Unscored: the case itself does not hold on this machine.
    """
    if stored.case.truth.absent:
        return repair.Baseline(None, None)
    try:
        reference = load_reference(stored.reference_path)
    except BadReference as error:
        raise Unscored(str(error)) from None
    write_texts(stored, fixed_texts(stored), folder)
    measured = bench.measure(stored.case, folder)
    if measured.failure or not measured.points:
        raise Unscored(f"the case with its own fix cannot be measured: {measured.failure}")
    return repair.Baseline(reference, measured)


def score(
    bench: Bench,
    stored: StoredCase,
    handed_in: HandedIn,
    workspace: Path,
    known: repair.Baseline | None,
    seeds: tuple[int, ...],
) -> dict[str, Any]:
    """The scored fields of a `TrialResult`.

    Args:
        known: the case with its fix; None for an agent that does not mend anything.
    """
    started = time.perf_counter()
    case = stored.case
    matched = causes.match(case, handed_in)
    checks: list[ScoredCheck] = [
        verdict.score(case, handed_in),
        causes.score(case, handed_in, matched),
        *place.score(matched),
    ]
    # Leaving a control alone is no achievement of one who says nothing about it.
    answers = handed_in.findings is not None or bool(stored.patch)
    if known is not None and answers:
        checks += repair.score(bench, case, workspace, known, seeds, bool(stored.patch))
        checks += [*intact.score_decoys(case, handed_in), intact.score_files(case, handed_in)]
    false_claims = claims.contradicted(handed_in, checks)
    total, is_solved = summed(checks, false_claims)
    return {
        "checks": tuple(checks),
        "findings": matched.findings,
        "causes": matched.causes,
        "contradicted": tuple(false_claims),
        "given_verdict": handed_in.findings.verdict if handed_in.findings is not None else "",
        "score": total,
        "solved": is_solved,
        "scoring_seconds": time.perf_counter() - started,
    }


def summed(checks: list[ScoredCheck], false_claims: list[str]) -> tuple[float, bool]:
    """Mean of the parts, and whether all of them are perfect with no false claim. No check at all is a failure."""
    parts = [value for part in PARTS if (value := part_value(checks, part)) is not None]
    if not parts:
        return 0.0, False
    return sum(parts) / len(parts), min(parts) >= 1.0 and not false_claims
