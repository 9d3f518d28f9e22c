"""One self-contained page: tables, and behind each trial its checks, findings, diff and output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evals.report.summary import VALUES, Summary
from evals.report.words import amount, dollars, outcome, share, shift, shortfall
from evals.result import TrialResult


def render(summary: Summary, results: Sequence[TrialResult]) -> str:
    """The page; nothing in it is loaded from elsewhere."""
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )  # fmt: skip
    environment.filters.update(share=share, shift=shift, amount=amount, dollars=dollars)
    environment.filters.update(outcome=outcome, shortfall=shortfall)
    ordered = sorted(results, key=lambda r: (bool(r.solved), r.case, r.agent, r.arm, r.trial))
    return environment.get_template("page.html.j2").render(summary=summary, results=ordered, values=list(VALUES))
