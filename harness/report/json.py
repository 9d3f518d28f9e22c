"""The report as JSON: the contract itself. NaN and infinity are the strings "NaN", "Infinity" and "-Infinity"."""

from __future__ import annotations

from harness.schema import Report


def render(report: Report) -> str:
    """Return the report as indented JSON that `Report.model_validate_json` reads back."""
    return report.model_dump_json(indent=2) + "\n"
