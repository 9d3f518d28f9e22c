"""Claims that the re-measurement contradicts. Nothing is won by a claim; a false one is counted."""

from __future__ import annotations

from collections.abc import Sequence

from evals.result import ScoredCheck
from evals.scoring.handed_in import HandedIn


def contradicted(handed_in: HandedIn, checks: Sequence[ScoredCheck]) -> list[str]:
    """One sentence for each false claim."""
    if handed_in.findings is None:
        return []
    claims = handed_in.findings.claims
    failed = [c for c in checks if c.part == "fix" and not c.passed]
    judged = any(c.part == "fix" for c in checks)
    found = []
    for name, said in (("fixed", claims.fixed), ("verified", claims.verified)):
        if said and judged and failed:
            found.append(f"says {name}; {failed[0].name}: {failed[0].detail}")
    forward = [c for c in failed if c.name.startswith("forward")]
    if claims.forward_unchanged and forward:
        found.append(f"says that forward values are unchanged; {forward[0].name}: {forward[0].detail}")
    return found
