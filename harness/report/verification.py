"""The answer of `verify` as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.report.markdown import bullets, fenced, finding_blocks, prose, table
from harness.report.numbers import count, memory, number, seconds, with_interval
from harness.report.phrases import DIRECTIONS
from harness.schema import GradientNumbers, Verification

if TYPE_CHECKING:
    from harness.report.page import Page

_GRADIENT_HEADER = ("parameter", "from", "iter.", "autodiff", "measured", "ratio", "check")
_RIGHT = ["iter.", "autodiff", "ratio"]
_FOLD = ["parameter", "from"]
_TABLE_ROWS = 40
_ELEMENT_ROWS = 60
_VALUES = 8


def text(verification: Verification, *, width: int = 80, color: bool = False) -> str:
    """Return the verification for a terminal."""
    from harness.report.page import VERDICT_STYLES, Page
    from harness.report.text import add_finding

    page = Page(width, color)
    verdict = verification.verdict
    page.paragraph(verification.summary, lead=f"{verdict}  ", lead_style=VERDICT_STYLES[verdict])
    page.blank()
    longest = max(len(check.outcome) for check in verification.checks)
    for check in verification.checks:
        lead = f"{check.outcome:{longest}}  "
        style = VERDICT_STYLES.get(check.outcome, "dim")
        page.paragraph(f"{check.name}: {check.message}", indent=2, lead=lead, lead_style=style)
    for title, program in (("Before", verification.before), ("After", verification.after)):
        if program.gradients:
            page.heading(f"{title}: {program.path}, {program.verdict}")
            rows = _gradient_rows(program.gradients)
            page.table(_GRADIENT_HEADER, rows[:_TABLE_ROWS], right=_RIGHT, fold=_FOLD)
            _left_out(page, len(rows) - _TABLE_ROWS)
        if program.elements:
            page.heading(f"{title}, element by element")
            page.table(_GRADIENT_HEADER, _gradient_rows(program.elements, 4)[:_ELEMENT_ROWS], right=_RIGHT, fold=_FOLD)
            _left_out(page, len(program.elements) - _ELEMENT_ROWS)
        for finding in program.findings:
            add_finding(page, finding, names_parameters=True)
        if program.not_attributed is not None:
            page.blank()
            page.paragraph(program.not_attributed.what, lead="Not attributed  ", lead_style="bold yellow")
    if verification.before.gradients or verification.after.gradients:
        page.paragraph(DIRECTIONS, indent=2, style="dim")
    if verification.other_values:
        page.heading("Other values")
        for line in _other_values(verification):
            page.paragraph(line, indent=2, lead="- ", lead_style="dim")
    if verification.diff:
        page.heading("Edited")
        for line in _files(verification):
            page.paragraph(line, indent=2, lead="- ", lead_style="dim")
    page.heading("Reproduce")
    for command in verification.reproduce:
        page.command(command)
    page.blank()
    page.paragraph(_cost(verification), style="dim")
    return page.text()


def markdown(verification: Verification) -> str:
    """Return the verification as GitHub-flavoured Markdown, to be pasted into an answer or a pull request."""
    rows = [[check.name, f"**{check.outcome}**", prose(check.message)] for check in verification.checks]
    blocks = [
        f"## {verification.verdict}: {prose(verification.summary)}",
        table(["check", "outcome", "what was found"], rows),
    ]
    for title, program in (("Before", verification.before), ("After", verification.after)):
        if program.gradients:
            numbers = [[f"`{row[0]}`", *row[1:]] for row in _gradient_rows(program.gradients)]
            blocks += [f"### {title}: `{program.path}`, {program.verdict}", table(_GRADIENT_HEADER, numbers)]
        if program.elements:
            numbers = [[f"`{row[0]}`", *row[1:]] for row in _gradient_rows(program.elements, 4)]
            blocks += [f"### {title}, element by element", table(_GRADIENT_HEADER, numbers)]
        blocks += [block for finding in program.findings for block in finding_blocks(finding)]
        if program.not_attributed is not None:
            blocks.append(f"**Not attributed:** {prose(program.not_attributed.what)}")
    if verification.other_values:
        blocks += ["### Other values", bullets(_other_values(verification))]
    if verification.diff:
        blocks += ["### Edited", bullets(_files(verification)), fenced(verification.diff.rstrip("\n"), "diff")]
    blocks += ["### Reproduce", fenced("\n".join(verification.reproduce), "sh"), _cost(verification)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _left_out(page: Page, amount: int) -> None:
    if amount > 0:
        page.paragraph(f"and {amount} more, in the JSON report", indent=2, style="dim")


def _gradient_rows(gradients: Sequence[GradientNumbers], digits: int = 3) -> list[list[str]]:
    return [
        [
            g.parameter,
            g.start,
            str(g.iteration),
            number(g.autodiff, digits),
            with_interval(g.measured, g.interval),
            number(g.ratio),
            g.verdict,
        ]
        for g in gradients
    ]


def _other_values(verification: Verification) -> list[str]:
    lines = []
    for entry in verification.other_values:
        shown = ", ".join(number(value, 7) for value in entry.values[:_VALUES])
        more = f", ... ({entry.size} elements)" if entry.size > _VALUES else ""
        lines.append(f"{entry.start}: `{entry.parameter}` = [{shown}{more}]")
    return lines


def _files(verification: Verification) -> list[str]:
    lines = [
        f"{word}: {', '.join(f'`{name}`' for name in names)}"
        for word, names in (
            ("changed", verification.files_changed),
            ("added", verification.files_added),
            ("deleted", verification.files_deleted),
        )
        if names
    ]
    return lines + [f"`{c.name}`: {c.before} -> {c.after}, {c.file}:{c.line}" for c in verification.constants_changed]


def _cost(verification: Verification) -> str:
    cost = verification.cost
    parts = [seconds(cost.seconds), f"{count(cost.executions, 'run')} of the two programs"]
    return ", ".join(parts + ([memory(cost.peak_memory)] if cost.peak_memory is not None else []))
