"""The lines of the user's code that take part in a finding, in the order of the file."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from harness.schema import Finding, Location, Related


class Row(NamedTuple):
    """One line of code."""

    file: str
    line: int
    code: str
    role: str
    is_culprit: bool
    """Whether this is the line that the finding points at."""


def code_rows(finding: Finding, most: int = 6) -> list[Row]:
    """Return the lines with source text, the culprit among them, at most `most`; one row per line of code."""
    rows: dict[tuple[str, int], Row] = {}
    places = [(finding.location, "", True)] if finding.location else []
    for place, role, is_culprit in [*places, *((r, r.role, False) for r in finding.related)]:
        key = (place.file, place.line)
        known = rows.get(key)
        if known is not None:
            roles = [r for r in (known.role, role) if r]
            rows[key] = known._replace(role=", ".join(dict.fromkeys(roles)), code=known.code or _first_line(place))
        else:
            rows[key] = Row(place.file, place.line, _first_line(place), role, is_culprit)
    shown = [row for row in rows.values() if row.code][:most]
    home = finding.location.file if finding.location else ""
    return sorted(shown, key=lambda row: (row.file != home, row.file, row.line))


def gutter(rows: Sequence[Row]) -> list[str]:
    """Return what stands before each line of code: its number, with the file where there are several."""
    if len({row.file for row in rows}) > 1:
        labels = [f"{row.file}:{row.line}" for row in rows]
        return [label.ljust(max(map(len, labels))) for label in labels]
    labels = [str(row.line) for row in rows]
    return [label.rjust(max(map(len, labels))) for label in labels]


def _first_line(place: Location | Related) -> str:
    lines = textwrap.dedent(place.snippet.expandtabs(4)).strip("\n").splitlines()
    if not lines:
        return ""
    more = " ..." if len(lines) > 1 else ""
    return lines[0].strip() + more
