"""``python -m harness.run explain [KIND]``: what a kind of finding means. Imports nothing heavy."""

from __future__ import annotations

import difflib
import textwrap

from harness import pages
from harness.options import UsageError


def run(arguments: list[str]) -> int:
    """Print the page; see `explain` for what it raises."""
    print(explain(arguments), end="")
    return 0


def explain(arguments: list[str]) -> str:
    """The page of a kind; without a kind, the list of all.

    Raises:
        UsageError: there is no such kind; the message names those that are close.
    """
    if arguments in (["-h"], ["--help"]):
        return "usage: python -m harness.run explain [KIND]\n\n" + _listing()
    if len(arguments) > 1:
        raise UsageError("explain takes one kind, for example: python -m harness.run explain array-overwrite")
    if not arguments:
        return _listing()
    kind = arguments[0].strip().lower().replace("_", "-")
    try:
        return pages.page(kind)
    except pages.NoPage:
        raise UsageError(_unknown(arguments[0], kind)) from None


def _listing() -> str:
    kinds = pages.names()
    width = max(map(len, kinds))
    entries = [
        textwrap.fill(pages.summary(kind), 100, initial_indent=f"{kind:{width}}  ", subsequent_indent=" " * (width + 2))
        for kind in kinds
    ]
    return "\n".join(entries) + "\n"


def _unknown(given: str, kind: str) -> str:
    known = pages.names()
    close = difflib.get_close_matches(kind, known, n=3, cutoff=0.5)
    close += [k for k in known if k not in close and (kind in k or set(kind.split("-")) & set(k.split("-")))]
    if close:
        return f"There is no kind `{given}`. Close to it: {', '.join(close)}."
    return f"There is no kind `{given}`. `explain` without a kind lists them all."
