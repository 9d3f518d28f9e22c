"""Tables for a terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from evals.report.summary import VALUES, Summary
from evals.report.words import amount, dollars, outcome, share, shift, shortfall
from evals.result import TrialResult

_WIDTH = 150
_MOST_MISSES = 40


def render(summary: Summary, results: Sequence[TrialResult]) -> str:
    """All tables that have something to show."""
    console = Console(file=io.StringIO(), width=_WIDTH, highlight=False)
    console.print(_groups(summary))
    if summary.kinds:
        console.print(_kinds(summary))
    if summary.pairs:
        console.print(_pairs(summary))
    for group in summary.groups:
        if len(group.pass_at) > 1:
            rows = [f"k={k}: {100 * group.pass_at[k]:.0f} / {100 * group.pass_hat[k]:.0f}" for k in group.pass_at]
            console.print(f"{group.name}: pass@k / pass^k  " + "   ".join(rows))
    for change in summary.regressions:
        console.print(f"regression: {change.case} ({change.group}) {change.before:.2f} -> {change.after:.2f}")
    if summary.has_baseline and not summary.regressions:
        console.print("No case is worse than in the baseline.")
    _misses(console, results)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def _groups(summary: Summary) -> Table:
    columns = (
        "agent",
        "trials",
        *VALUES,
        "false defects",
        "contradicted",
        "s",
        "commands",
        "tokens",
        "USD",
        "unscored",
    )
    table = Table(*columns, title="per cent [95 % interval]", title_justify="left", box=None)
    for g in summary.groups:
        table.add_row(
            g.name, str(g.trials), *(share(g.estimates[name]) for name in VALUES),
            f"{g.false_defects_on_controls} in {g.controls}", str(g.contradicted), amount(g.seconds),
            amount(g.commands), amount(g.tokens), dollars(g.cost),
            f"{g.unscored}" + (f" + {g.skipped} skipped" if g.skipped else ""),
        )  # fmt: skip
    return table


def _kinds(summary: Summary) -> Table:
    table = Table("kind", "agent", "causes", "named", "placed", "solved", box=None)
    for row in summary.kinds:
        table.add_row(row.kind, row.group, str(row.causes), share(row.named), share(row.placed), share(row.solved))
    return table


def _pairs(summary: Summary) -> Table:
    table = Table("agent", "difference", *VALUES, box=None)
    for pair in summary.pairs:
        name = f"{pair.second} - {pair.first}"
        table.add_row(pair.agent, name, *(shift(pair.differences[value]) for value in VALUES))
    return table


def _misses(console: Console, results: Sequence[TrialResult]) -> None:
    misses = [r for r in results if not r.solved]
    for r in misses[:_MOST_MISSES]:
        console.print(f"{outcome(r)}: {r.case} ({r.agent}, {r.arm}, trial {r.trial}) {shortfall(r)}", markup=False)
    if len(misses) > _MOST_MISSES:
        console.print(f"... and {len(misses) - _MOST_MISSES} more; see the HTML report.")
