"""``export``: the cases in the common form of ``evals.json``."""

from __future__ import annotations

from pathlib import Path

from evals.command.arguments import add_cases, cases_of, parser
from evals.export import to_json

_DEFAULT = Path(__file__).resolve().parents[1] / "evals.json"
_EPILOG = """\
examples:
  python -m evals.run export                 writes evals/evals.json
  python -m evals.run export --check         exit code 1 if it is out of date
"""


def run(arguments: list[str]) -> int:
    """Write the file, or say whether it is up to date."""
    made = parser("export", "Write the cases in the common form of evals.json.", _EPILOG)
    add_cases(made)
    made.add_argument("--output", type=Path, default=_DEFAULT, metavar="PATH", help="where to (evals/evals.json)")
    made.add_argument("--check", action="store_true", help="only compare")
    parsed = made.parse_args(arguments)
    text = to_json(cases_of(parsed))
    if parsed.check:
        is_current = parsed.output.exists() and parsed.output.read_text(encoding="utf-8") == text
        print(f"{parsed.output} is {'up to date' if is_current else 'out of date; run the export again'}.")
        return int(not is_current)
    parsed.output.write_text(text, encoding="utf-8")
    print(f"{parsed.output} is written.")
    return 0
