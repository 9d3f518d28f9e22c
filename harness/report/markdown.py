"""The report as Markdown, for a pull request or an issue."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.report import phrases
from harness.report.listing import code_rows, gutter
from harness.report.numbers import percent
from harness.schema import Failure, Finding, Parameter, Report

_CODE = re.compile(r"(`[^`]*`)")
_SPECIAL = re.compile(r"([\\*<\[&]|(?<!\w)_|_(?!\w)|^[#>+-])")


def render(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown."""
    blocks = [f"## {report.verdict}: {prose(phrases.summary(report))}"]
    if report.failure is not None:
        blocks += _failure(report.failure, report.summary)
    for finding in report.findings:
        blocks += finding_blocks(finding)
    blocks += _undecided(report)
    if report.not_attributed is not None:
        blocks += ["### Not attributed", prose(report.not_attributed.what)]
        blocks += [bullets([f"tried {attempt}" for attempt in report.not_attributed.tried])]
    if report.parameters:
        blocks += ["### Parameters", _checks_table(report.parameters), bullets(phrases.table_notes(report))]
    elements = phrases.element_rows(report.parameters)
    if elements:
        blocks += ["### Element by element", table(phrases.ELEMENT_HEADER, elements)]
    if report.ruled_out:
        blocks += ["### Ruled out", bullets([f"`{entry.kind}`: {entry.why}" for entry in report.ruled_out])]
    if report.blind_spots:
        blocks += ["### Blind spots", bullets(report.blind_spots)]
    if report.reproduce:
        blocks += ["### Reproduce", fenced("\n".join(report.reproduce), "sh")]
    blocks.append(f"{prose(phrases.cost_line(report))}; {prose(phrases.environment_line(report))}")
    return "\n\n".join(block for block in blocks if block) + "\n"


def _failure(failure: Failure, summary: str) -> list[str]:
    blocks = [] if failure.message in summary else [prose(failure.message)]
    if failure.traceback:
        blocks.append(fenced(failure.traceback.rstrip(), "text"))
    if failure.next_step:
        blocks.append(f"**Next:** {prose(failure.next_step)}")
    return blocks


def finding_blocks(finding: Finding) -> list[str]:
    """Return a finding as blocks of Markdown."""
    place = f" `{finding.location}`" if finding.location else ""
    blocks = [f"### {finding.kind} [{finding.confidence}]{place}", prose(finding.message)]
    rows = code_rows(finding)
    if rows:
        code = [
            f"{'>' if row.is_culprit else ' '} {label} | {row.code}{f'  # {row.role}' if row.role else ''}"
            for label, row in zip(gutter(rows), rows, strict=True)
        ]
        blocks.append(fenced("\n".join(code), "text"))
    blocks.append(bullets(phrases.evidence_lines(finding)))
    if finding.parameters:
        blocks.append(f"Affects {', '.join(f'`{name}`' for name in finding.parameters)}.")
    if finding.remedy:
        blocks.append(f"**Remedy:** {prose(finding.remedy)}")
    if finding.next_step:
        blocks.append(f"**Next:** {prose(finding.next_step)}")
    return blocks


def _undecided(report: Report) -> list[str]:
    blocks = []
    for parameter, check in phrases.explained_checks(report):
        subject = phrases.derivative(parameter, check.objective)
        blocks.append(f"### {prose(subject)} at iteration {check.iteration}: {check.verdict}")
        blocks.append(prose(check.explanation))
        blocks.append(f"**Next:** {prose(check.next_step)}" if check.next_step else "")
    return blocks


def _checks_table(parameters: Sequence[Parameter]) -> str:
    """Return one row per check; a parameter without checks has a row of its own."""
    header = [
        "parameter",
        "type",
        "made at",
        "verdict",
        "iteration",
        "oracle",
        "autodiff",
        "measured",
        "ratio",
        "check",
        "sees errors from",
    ]
    rows = []
    for parameter in parameters:
        place = f"`{parameter.location}`" if parameter.location else ""
        known = [f"`{parameter.name}`", phrases.array_type(parameter), place, f"**{parameter.verdict}**"]
        for check in parameter.checks:
            visible = "" if check.smallest_visible_error is None else percent(check.smallest_visible_error)
            numbers = phrases.check_numbers(check)
            rows.append([*known, str(check.iteration), check.oracle, *numbers, check.verdict, visible])
            known = [""] * len(known)
        if not parameter.checks:
            rows.append([*known, *[""] * 7])
    return table(header, rows)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the cells are Markdown already."""
    return _rows([header, ["---"] * len(header), *rows])


def _rows(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def bullets(items: Sequence[str]) -> str:
    """A list of sentences."""
    return "\n".join(f"- {prose(item)}" for item in items)


def fenced(text: str, language: str) -> str:
    """A block of code, with a fence longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def prose(text: str) -> str:
    """Escape what Markdown or HTML would take as markup, outside of names in backticks."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if part.startswith("`") and len(part) > 1 else _SPECIAL.sub(r"\\\1", part) for part in parts)
