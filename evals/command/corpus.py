"""``list``: the cases."""

from __future__ import annotations

from evals.command.arguments import add_cases, cases_of, parser

_EPILOG = """\
examples:
  python -m evals.run list
  python -m evals.run list tag:decoy
"""


def run(arguments: list[str]) -> int:
    """List the chosen cases."""
    made = parser("list", "List the cases.", _EPILOG)
    add_cases(made)
    for stored in cases_of(made.parse_args(arguments)):
        case = stored.case
        kinds = ", ".join(c.kind for c in case.expected.causes) or ", ".join(r.kind for r in case.expected.remarks)
        print(f"{case.id:36} {case.expected.verdict:9} {kinds}  [{' '.join(case.tags)}]")
    return 0
