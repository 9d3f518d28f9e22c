"""``report``: tables and pages from the results of a run."""

from __future__ import annotations

from pathlib import Path

from evals.command.arguments import parser
from evals.report import FORMATS, render
from evals.report.summary import summarise
from evals.store import read

_EPILOG = """\
examples:
  python -m evals.run report reports/evals
  python -m evals.run report results/new --baseline results/old
  python -m evals.run report results/none results/skill --format html --output page.html

exit codes: 0 no regression, 1 a case is worse than in the baseline, 2 usage
"""


def run(arguments: list[str]) -> int:
    """Render the results of one or more runs."""
    made = parser("report", "Tables and pages from the results of one or more runs.", _EPILOG)
    made.add_argument("runs", nargs="+", type=Path, metavar="DIR", help="folders that `run --out` wrote")
    made.add_argument("--baseline", type=Path, metavar="DIR", help="an earlier run, to list regressions")
    made.add_argument("--format", choices=tuple(FORMATS), default="table")
    made.add_argument("--output", type=Path, metavar="PATH", help="write it to a file")
    parsed = made.parse_args(arguments)
    results = [result for folder in parsed.runs for result in read(folder)]
    summary = summarise(results, read(parsed.baseline) if parsed.baseline else [])
    text = render(parsed.format, summary, results)
    if parsed.output is None:
        print(text, end="")
    else:
        parsed.output.write_text(text, encoding="utf-8")
    return int(bool(summary.regressions))
