"""Reports of a run, from a finished summary. ``render(format, summary, results)`` gives the text."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from evals.report.summary import Summary
from evals.result import TrialResult

FORMATS = {"table": "", "markdown": "report.md", "json": "summary.json", "junit": "junit.xml", "html": "report.html"}
"""Formats, and the file that `run` writes each to."""


def render(name: str, summary: Summary, results: Sequence[TrialResult]) -> str:
    """The report in one of `FORMATS`."""
    function: Callable[[Summary, Sequence[TrialResult]], str] = importlib.import_module(f"evals.report.{name}").render
    return function(summary, results)
