"""``make-patch``: write fix.patch from a folder with the mended files."""

from __future__ import annotations

from pathlib import Path

from evals.command.arguments import parser
from evals.corpus import CASES, files_below, is_text, select
from evals.patch import difference
from harness.options import UsageError

_EPILOG = """\
examples:
  cp -r evals/cases/two-planes/files /tmp/mended      # then edit /tmp/mended
  python -m evals.run make-patch two-planes /tmp/mended
"""


def run(arguments: list[str]) -> int:
    """Write the difference between the staged files and a folder as the case's fix."""
    made = parser("make-patch", "Write fix.patch from a folder with the mended files.", _EPILOG)
    made.add_argument("case", metavar="CASE")
    made.add_argument("mended", type=Path, metavar="DIR", help="a copy of files/ with the fix made")
    made.add_argument("--corpus", type=Path, default=CASES, metavar="DIR")
    parsed = made.parse_args(arguments)
    (stored, *_) = select([parsed.case], parsed.corpus)
    mended = {n: p.read_text(encoding="utf-8") for n, p in files_below(parsed.mended).items() if is_text(p)}
    patch = difference(stored.texts, mended)
    if not patch:
        raise UsageError(f"`{parsed.mended}` does not differ from {stored.files_folder}.")
    (stored.folder / "fix.patch").write_text(patch, encoding="utf-8")
    print(patch)
    return 0
