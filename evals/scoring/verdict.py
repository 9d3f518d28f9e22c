"""Is the gradient of the program, as it was given, judged rightly."""

from __future__ import annotations

from evals.case import Case
from evals.result import ScoredCheck
from evals.scoring.handed_in import HandedIn


def score(case: Case, handed_in: HandedIn) -> ScoredCheck:
    """1 if the verdict is one of the right ones."""
    given = handed_in.findings.verdict if handed_in.findings is not None else ""
    detail = f"{given or 'none'}, expected {' or '.join(case.expected.verdicts)}"
    return ScoredCheck(name="verdict", part="verdict", value=float(given in case.expected.verdicts), detail=detail)
