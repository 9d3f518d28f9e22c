"""The report for a pull request or a wiki."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evals.report.summary import VALUES, Summary
from evals.report.words import amount, dollars, outcome, share, shift, shortfall
from evals.result import TrialResult


def render(summary: Summary, results: Sequence[TrialResult]) -> str:
    """Tables in Markdown."""
    parts = ["# Eval results\n\nPer cent, with 95 % intervals over case families and trials.\n"]
    parts.append(_table(
        ("agent", "trials", *VALUES, "false defects on controls", "contradicted", "seconds", "commands", "tokens",
         "USD"),
        [
            (g.name, str(g.trials), *(share(g.estimates[n]) for n in VALUES),
             f"{g.false_defects_on_controls} in {g.controls}", str(g.contradicted), amount(g.seconds),
             amount(g.commands), amount(g.tokens), dollars(g.cost))
            for g in summary.groups
        ],
    ))  # fmt: skip
    if summary.kinds:
        rows = [
            (k.kind, k.group, str(k.causes), share(k.named), share(k.placed), share(k.solved)) for k in summary.kinds
        ]
        parts.append("## Kinds\n\n" + _table(("kind", "agent", "causes", "named", "placed", "solved"), rows))
    if summary.pairs:
        pairs = [
            (p.agent, f"{p.second} - {p.first}", *(shift(p.differences[n]) for n in VALUES)) for p in summary.pairs
        ]  # fmt: skip
        parts.append("## Arms\n\n" + _table(("agent", "difference", *VALUES), pairs))
    several = [g for g in summary.groups if len(g.pass_at) > 1]
    if several:
        passes = [
            (g.name, str(k), f"{100 * g.pass_at[k]:.0f}", f"{100 * g.pass_hat[k]:.0f}")
            for g in several
            for k in g.pass_at
        ]
        parts.append("## Repeated trials\n\n" + _table(("agent", "k", "pass@k", "pass^k"), passes))
    if summary.has_baseline:
        changes = [(c.case, c.group, f"{c.before:.2f}", f"{c.after:.2f}") for c in summary.regressions]
        text = _table(("case", "agent", "before", "after"), changes) if changes else "None.\n"
        parts.append("## Regressions against the baseline\n\n" + text)
    misses = [
        (outcome(r), r.case, f"{r.agent}, {r.arm}, trial {r.trial}", shortfall(r)) for r in results if not r.solved
    ]
    if misses:
        parts.append("## Not solved\n\n" + _table(("outcome", "case", "trial", "why"), misses))
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(_cell(c) for c in row) + " |\n" for row in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
