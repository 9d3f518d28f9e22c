"""The skill's own pages, taken apart: front matter, fenced blocks, commands. Imports nothing of the harness."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SKILL = ROOT / "SKILL.md"
REFERENCES = sorted((ROOT / "references").glob("*.md"))

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: language, further words of its info string, contents."""

    language: str
    words: tuple[str, ...]
    code: str


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page in order."""
    found = []
    for match in _FENCE.finditer(page.read_text(encoding="utf-8")):
        language, *words = match["info"].split() or [""]
        found.append(Block(language, tuple(words), match["code"]))
    return found


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def front_matter(page: Path) -> tuple[dict[str, str], str]:
    """Fields (nested ones as ``metadata.version``) and the body behind them."""
    _, head, body = page.read_text(encoding="utf-8").split("---\n", 2)
    fields, parent = {}, ""
    for line in head.splitlines():
        name, _, value = line.strip().partition(":")
        parent = parent if line.startswith(" ") else name
        if value:
            fields[name if name == parent else f"{parent}.{name}"] = value.strip().strip('"')
    return fields, body


def commands(page: Path) -> list[str]:
    """Shell lines of a page that start our command: what follows it in each. Continued lines are joined."""
    text = re.sub(r"\\\n\s*", "", prose(page))
    lines = re.findall(r"^    +(\S.*)$", text, re.MULTILINE) + re.findall(r"`([^`\n]+)`", text)
    return [found[1] for line in lines if (found := re.search(r"(?:run\.py|-m harness\.run) (.+)", line))]


def options(page: Path) -> list[str]:
    """Pieces of inline code that begin with an option."""
    return [code for code in re.findall(r"`([^`\n]+)`", prose(page)) if code.startswith("--")]


def paths(page: Path) -> list[str]:
    """Files of ours that a page names, in code or as links; placeholders left out."""
    text = prose(page)
    named = re.findall(r"`((?:references|examples|tests|harness)/[\w./-]+)`", text)
    linked = re.findall(r"\]\(([^)#]+)\)", text)
    return [path for path in [*named, *linked] if "KIND" not in path]
