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
    blocks = [f"## {report.verdict}: {_prose(phrases.summary(report))}"]
    if report.failure is not None:
        blocks += _failure(report.failure, report.summary)
    for finding in report.findings:
        blocks += _finding(finding)
    blocks += _undecided(report)
    if report.not_attributed is not None:
        blocks += ["### Not attributed", _prose(report.not_attributed.what)]
        blocks += [_bullets([f"tried {attempt}" for attempt in report.not_attributed.tried])]
    if report.parameters:
        blocks += ["### Parameters", _checks_table(report.parameters)]
    if report.ruled_out:
        blocks += ["### Ruled out", _bullets([f"`{entry.kind}`: {entry.why}" for entry in report.ruled_out])]
    if report.blind_spots:
        blocks += ["### Blind spots", _bullets(report.blind_spots)]
    if report.reproduce:
        blocks += ["### Reproduce", _fenced("\n".join(report.reproduce), "sh")]
    blocks.append(f"{_prose(phrases.cost_line(report))}; {_prose(phrases.environment_line(report))}")
    return "\n\n".join(block for block in blocks if block) + "\n"


def _failure(failure: Failure, summary: str) -> list[str]:
    blocks = [] if failure.message in summary else [_prose(failure.message)]
    if failure.traceback:
        blocks.append(_fenced(failure.traceback.rstrip(), "text"))
    if failure.next_step:
        blocks.append(f"**Next:** {_prose(failure.next_step)}")
    return blocks


def _finding(finding: Finding) -> list[str]:
    place = f" `{finding.location}`" if finding.location else ""
    blocks = [f"### {finding.kind} [{finding.confidence}]{place}", _prose(finding.message)]
    rows = code_rows(finding)
    if rows:
        code = [
            f"{'>' if row.is_culprit else ' '} {label} | {row.code}{f'  # {row.role}' if row.role else ''}"
            for label, row in zip(gutter(rows), rows, strict=True)
        ]
        blocks.append(_fenced("\n".join(code), "text"))
    blocks.append(_bullets(phrases.evidence_lines(finding)))
    if finding.parameters:
        blocks.append(f"Affects {', '.join(f'`{name}`' for name in finding.parameters)}.")
    if finding.remedy:
        blocks.append(f"**Remedy:** {_prose(finding.remedy)}")
    if finding.next_step:
        blocks.append(f"**Next:** {_prose(finding.next_step)}")
    return blocks


def _undecided(report: Report) -> list[str]:
    blocks = []
    for parameter in report.parameters:
        if parameter.verdict != "undecided":
            continue
        for check in phrases.undecided_checks(parameter):
            subject = phrases.derivative(parameter, check.objective)
            blocks.append(f"### {_prose(subject)} at iteration {check.iteration}: undecided")
            blocks.append(_prose(check.explanation))
            blocks.append(f"**Next:** {_prose(check.next_step)}" if check.next_step else "")
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
    ]
    rows = [[*header, "sees errors from"], ["---"] * (len(header) + 1)]
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
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def _bullets(items: Sequence[str]) -> str:
    return "\n".join(f"- {_prose(item)}" for item in items)


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _prose(text: str) -> str:
    """Escape what Markdown or HTML would take as markup, outside of names in backticks."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if part.startswith("`") and len(part) > 1 else _SPECIAL.sub(r"\\\1", part) for part in parts)
