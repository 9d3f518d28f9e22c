"""The page of every kind, read from the docstring of its module; nothing is imported.

A docstring is a page if its first line is the name of the kind and of the file: ``array-overwrite`` in
``kinds/array_overwrite.py``.
"""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

KINDS_FOLDER = Path(__file__).resolve().parent / "kinds"
EXAMPLES = ("Bad", "Good")


class NoPage(KeyError):
    """There is no kind of that name, or it has no page."""


def names() -> list[str]:
    """Kinds that have a page, in alphabetical order."""
    found = (path.stem.replace("_", "-") for path in KINDS_FOLDER.glob("*.py"))
    return sorted(name for name in found if _docstring(name).startswith(f"{name}\n"))


def page(kind: str) -> str:
    """The page as Markdown.

    Raises:
        NoPage: no kind of that name has one.
    """
    text = _docstring(kind)
    if not text.startswith(f"{kind}\n"):
        raise NoPage(kind)
    parts = []
    for heading, body in _sections(text).items():
        shown = f"```python\n{example(kind, heading)}```" if heading in EXAMPLES else body
        parts.append(f"## {heading}\n{shown}\n")
    return "\n".join([f"# {kind}\n", *parts])


def summary(kind: str) -> str:
    """First sentence of the page."""
    opening = " ".join(_sections(_docstring(kind))["What it is"].split())
    return opening.partition(". ")[0].rstrip(".") + "."


def example(kind: str, heading: str) -> str:
    """The script under ``Bad`` or ``Good``, which is fenced or indented in the docstring."""
    body = _sections(_docstring(kind))[heading]
    lines = [line for line in body.splitlines() if not line.startswith("```")]
    return textwrap.dedent("\n".join(lines)).strip("\n") + "\n"


def _sections(text: str) -> dict[str, str]:
    parts = text.split("\n## ")[1:]
    return {head: body.strip("\n") for head, _, body in (part.partition("\n") for part in parts)}


def _docstring(kind: str) -> str:
    path = KINDS_FOLDER / f"{kind.replace('-', '_')}.py"
    if not path.is_file():
        return ""
    # `ast.get_docstring` would dedent, and so take indented examples for text.
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")), clean=False) or ""
