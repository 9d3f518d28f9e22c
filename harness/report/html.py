"""The report as one web page without anything loaded from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from harness.report import numbers, phrases
from harness.report.listing import code_rows, gutter
from harness.report.plot import polyline
from harness.schema import Finding, Report, Series

_TEMPLATE = "report.html.j2"
_CODE = re.compile(r"`([^`]+)`")


def render(report: Report) -> str:
    """Return a self-contained page. Text of the user's is escaped; names in backticks become code."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(prose=_prose, percent=numbers.percent)
    return environment.get_template(_TEMPLATE).render(
        report=report,
        summary=phrases.summary(report),
        phrases=phrases,
        code_rows=code_rows,
        gutter=gutter,
        plots=_plots,
    )


def _prose(text: str) -> Markup:
    parts = _CODE.split(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if position % 2 else escape(part) for position, part in enumerate(parts)
    )


def _plots(finding: Finding) -> list[tuple[str, str]]:
    """Return label and curve of each series that has one."""
    series = [entry for entry in finding.evidence if isinstance(entry, Series)]
    return [(entry.label, points) for entry in series if (points := polyline(entry.x, entry.y))]
