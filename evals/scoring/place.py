"""Does a finding of the right kind point at a right line."""

from __future__ import annotations

from evals.result import ScoredCheck
from evals.scoring.causes import Matched


def score(matched: Matched) -> list[ScoredCheck]:
    """Share of the visible causes with a right place; nothing where there is no cause to be found."""
    visible = [c for c in matched.causes if not c.is_hidden]
    if not visible:
        return []
    value = sum(c.placed for c in visible) / len(visible)
    shown = ", ".join(f"{f.kind} {f.file}:{f.line}" for f in matched.findings if f.is_right) or "none"
    return [ScoredCheck(name="place", part="place", value=value, detail=f"places given: {shown}")]
