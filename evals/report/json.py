"""The summary as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from evals.report.summary import Summary
from evals.result import TrialResult


def render(summary: Summary, results: Sequence[TrialResult]) -> str:
    """JSON, with one short entry per trial."""
    body = asdict(summary)
    body["trials"] = [
        {
            "case": r.case, "agent": r.agent, "arm": r.arm, "trial": r.trial, "status": r.status, "score": r.score,
            "solved": r.solved, "contradicted": len(r.contradicted), "reason": r.reason,
        }
        for r in results
    ]  # fmt: skip
    return json.dumps(body, indent=2) + "\n"
