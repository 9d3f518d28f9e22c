"""The report for a terminal. What to do comes before how it was found; nothing but ASCII of our own."""

from __future__ import annotations

from itertools import zip_longest

from rich.text import Text

from harness.report import phrases
from harness.report.listing import Row, code_rows
from harness.report.numbers import percent
from harness.report.page import VERDICT_STYLES, Page, wrap
from harness.schema import Check, Failure, Finding, Parameter, Report

_EVIDENCE_LINES = 5
_TABLE_ROWS = 20
_URGENCY = ("wrong", "undecided", "independent", "correct")


def render(report: Report, *, width: int = 80, color: bool = False) -> str:
    """Return the report as text.

    No line is longer than `width` columns (at least 40), except for a traceback of the user's and a word of a command.
    """
    page = Page(width, color)
    page.paragraph(phrases.summary(report), lead=f"{report.verdict}  ", lead_style=VERDICT_STYLES[report.verdict])
    if report.failure is not None:
        _failure(page, report.failure, report.summary)
    if report.verdict == "undecided":
        _undecided(page, report)
    for finding in report.findings:
        add_finding(page, finding, len(report.parameters) > 1)
    if report.verdict != "undecided":
        _undecided(page, report)
    if report.not_attributed is not None:
        page.heading("Not attributed")
        page.paragraph(report.not_attributed.what, indent=2)
        for attempt in report.not_attributed.tried:
            page.paragraph(attempt, indent=2, lead="tried ", lead_style="dim")
    if len(report.parameters) > 1:
        _parameters(page, report)
    else:
        for parameter in report.parameters:
            _checks(page, parameter)
    elements = phrases.element_rows(report.parameters)
    if elements:
        page.heading("Element by element")
        page.table(phrases.ELEMENT_HEADER, elements, right=["iter.", "autodiff", "ratio"], fold=["element"])
    for note in phrases.table_notes(report):
        page.paragraph(note, indent=2, style="dim")
    _background(page, report)
    return page.text()


def _failure(page: Page, failure: Failure, summary: str) -> None:
    if failure.message not in summary:
        page.paragraph(failure.message, indent=2)
    if failure.traceback:
        page.blank()
        page.verbatim(failure.traceback)
        page.blank()
    if failure.location and failure.location.snippet and not failure.traceback:
        _listing(
            page, [Row(failure.location.file, failure.location.line, failure.location.snippet.strip(), "", True)], ""
        )
    if failure.next_step:
        page.paragraph(failure.next_step, indent=2, lead="Next: ", lead_style="bold green")


def _undecided(page: Page, report: Report) -> None:
    """Say why, and what would decide it. A report on one parameter and one reason needs no heading for that."""
    checks = phrases.explained_checks(report)
    for parameter, check in checks:
        page.blank()
        if len(checks) > 1 or len(report.parameters) > 1:
            reason = f" [{check.reason}]" if check.reason else ""
            subject = phrases.derivative(parameter, check.objective)
            page.paragraph(f"{subject} at iteration {check.iteration}{reason}", style="bold")
        page.paragraph(check.explanation, indent=2)
        if check.next_step:
            page.paragraph(check.next_step, indent=2, lead="Next: ", lead_style="bold green")


def add_finding(page: Page, finding: Finding, names_parameters: bool) -> None:
    """Add a finding: what, where, the code, the evidence, and what to do."""
    page.blank()
    place = f"  {finding.location}" if finding.location else ""
    page.paragraph(place.strip(), lead=f"{finding.kind} [{finding.confidence}]  ", lead_style=_finding_style(finding))
    page.paragraph(finding.message, indent=2)
    if names_parameters and finding.parameters:
        page.paragraph(", ".join(f"`{name}`" for name in finding.parameters), indent=2, lead="Affects ", lead_style="")
    rows = code_rows(finding)
    if rows:
        page.blank()
        _listing(page, rows, finding.location.file if finding.location else "")
        page.blank()
    _evidence(page, finding)
    if finding.remedy:
        page.paragraph(finding.remedy, indent=2, lead="Remedy: ", lead_style="bold green")
    if finding.next_step:
        page.paragraph(finding.next_step, indent=2, lead="Next: ", lead_style="bold green")


def _finding_style(finding: Finding) -> str:
    return "bold red" if finding.confidence in ("proven", "measured") else "bold yellow"


def _listing(page: Page, rows: list[Row], home: str) -> None:
    """Show code lines in a column, the role of each behind it; the culprit has an arrow."""
    gutter = max(len(str(row.line)) for row in rows)
    roles = max(len(row.role) for row in rows)
    room = page.width - (gutter + 8) - (roles + 2 if roles else 0)
    column = min(room, max(len(row.code) for row in rows))
    file = home
    for row in rows:
        if row.file != file and home:
            page.line(Text(f"  {row.file}"[: page.width], style="dim"))
        file = row.file
        code = row.code if len(row.code) <= column else row.code[: max(0, column - 3)] + "..."
        line = Text()
        line.append("  > " if row.is_culprit else "    ", style="bold red")
        line.append(f"{row.line:{gutter}} | ", style="dim")
        line.append(f"{code:{column}}  " if row.role else code)
        line.append(row.role, style="cyan")
        page.line(line)


def _evidence(page: Page, finding: Finding) -> None:
    """Show the first pieces of evidence that fit into five lines, and at least one."""
    entries = phrases.evidence_lines(finding)
    left = _EVIDENCE_LINES
    for shown, entry in enumerate(entries):
        needed = len(wrap(f"- {entry}", page.width, "  ", "    "))
        if needed > left and shown:
            return
        page.paragraph(entry, indent=2, lead="- ", lead_style="dim")
        left -= needed


def _parameters(page: Page, report: Report) -> None:
    page.heading("Parameters")
    ordered = sorted(report.parameters, key=lambda p: _URGENCY.index(p.verdict))
    if sum(len(p.checks) + 1 for p in ordered) <= _TABLE_ROWS:
        _every_check(page, ordered)
        return
    rows = []
    for parameter in ordered[:_TABLE_ROWS]:
        check = phrases.telling_check(parameter)
        numbers = [str(check.iteration), *phrases.check_numbers(check)] if check else ["-", "-", "-", "-"]
        rows.append([parameter.name, str(parameter.location or "-"), *numbers, parameter.verdict])
    header = ["parameter", "made at", "iter.", "autodiff", "measured", "ratio", "verdict"]
    page.table(header, rows, right=["iter.", "autodiff", "ratio"], fold=["parameter", "made at"])
    if len(ordered) > _TABLE_ROWS:
        page.paragraph(f"and {len(ordered) - _TABLE_ROWS} more, in the JSON report", indent=2, style="dim")


def _every_check(page: Page, parameters: list[Parameter]) -> None:
    """Show one row for each check; where a parameter was made stands below its name."""
    rows = []
    for parameter in parameters:
        checks = [[str(c.iteration), *phrases.check_numbers(c), c.verdict] for c in parameter.checks]
        names = [parameter.name, *([f"({parameter.location})"] if parameter.location else [])]
        for name, cells in zip_longest(names, checks or [["-", "-", "-", "-", parameter.verdict]]):
            rows.append([name or "", *(cells or [""] * 5)])
    header = ["parameter", "iter.", "autodiff", "measured", "ratio", "verdict"]
    page.table(header, rows, right=["iter.", "autodiff", "ratio"], fold=["parameter"])


def _checks(page: Page, parameter: Parameter) -> None:
    """Show the checks of the only parameter, one table for each objective and oracle."""
    for objective, oracle in dict.fromkeys((check.objective, check.oracle) for check in parameter.checks):
        page.heading(f"{phrases.derivative(parameter, objective)} against {phrases.ORACLES[oracle]}")
        checks = [check for check in parameter.checks if (check.objective, check.oracle) == (objective, oracle)]
        rows = []
        for check in _telling(checks):
            visible = "-" if check.smallest_visible_error is None else percent(check.smallest_visible_error)
            rows.append([str(check.iteration), *phrases.check_numbers(check), check.verdict, visible])
        header = ["iteration", "autodiff", "measured", "ratio", "verdict", "sees errors from"]
        page.table(header, rows, right=["iteration", "autodiff", "ratio", "sees errors from"], fold=[])
        if len(checks) > _TABLE_ROWS:
            page.paragraph(f"and {len(checks) - _TABLE_ROWS} more, in the JSON report", indent=2, style="dim")


def _telling(checks: list[Check]) -> list[Check]:
    """As many as the table has room for: those that do not agree before the others, in the order of the iterations."""
    chosen = sorted(checks, key=lambda check: check.verdict == "agrees")[:_TABLE_ROWS]
    return sorted(chosen, key=lambda check: check.iteration)


def _background(page: Page, report: Report) -> None:
    if report.ruled_out:
        page.heading("Ruled out")
        for entry in report.ruled_out:
            page.paragraph(entry.why, indent=2, lead=f"{entry.kind}: ", lead_style="")
    if report.blind_spots:
        page.heading("Blind spots")
        for spot in report.blind_spots:
            page.paragraph(spot, indent=2, lead="- ", lead_style="dim")
    if report.reproduce:
        page.heading("Reproduce")
        for command in report.reproduce:
            page.command(command)
    page.blank()
    page.paragraph(phrases.cost_line(report), style="dim")
    page.paragraph(phrases.environment_line(report), style="dim")
