"""Reports for people and programs. A format gets finished facts and puts them on a page; it computes no verdicts."""

from __future__ import annotations

from typing import Literal, get_args

from harness.report.phrases import summarize
from harness.schema import Report

ReportFormat = Literal["text", "json", "markdown", "sarif", "html"]
FORMATS: tuple[ReportFormat, ...] = get_args(ReportFormat)

__all__ = ["FORMATS", "ReportFormat", "render", "summarize"]


def render(report: Report, format: ReportFormat, *, color: bool = False, width: int = 80) -> str:
    """Return `report` in one of `FORMATS`, ending in a newline.

    `color` and `width` (columns) matter to "text" alone. The modules are imported here because two of them need
    packages that take a while to load. Raises ValueError for another format.
    """
    match format:
        case "text":
            from harness.report import text

            return text.render(report, color=color, width=width)
        case "json":
            from harness.report import json

            return json.render(report)
        case "markdown":
            from harness.report import markdown

            return markdown.render(report)
        case "sarif":
            from harness.report import sarif

            return sarif.render(report)
        case "html":
            from harness.report import html

            return html.render(report)
    raise ValueError(f"`{format}` is not a report format; choose one of {', '.join(FORMATS)}")
