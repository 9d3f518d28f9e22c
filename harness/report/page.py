"""A page of plain text: paragraphs, tables and commands at a fixed width, in colour where it is wanted."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

# A number stays with its unit and an interval in one piece; the no-break space is turned back after wrapping.
_GLUE = re.compile(r"(?<=[\d)]) (?=(?:x|%|ulps?|elements?) ?\b|%|\+- )|(?<=\+-) (?=\d)|(?<=\bline) (?=\d)")
_NO_BREAK = "\u00a0"
_CONTROL = {code: "?" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n"}
_QUOTED = re.compile(r"`[^`]+`")
_SHELL_WORDS = re.compile(r"(?:[^\s\"']|\"[^\"]*\"|'[^']*')+|\S+")


_UNBROKEN = 9
"""Columns whose text is no wider than this keep it on one line."""


_ROOMY = 72
"""Columns of a terminal from which there is room for that."""


class Page:
    """Collects styled lines of at most `width` columns."""

    def __init__(self, width: int, color: bool) -> None:
        self.width = max(width, 40)
        self._out = io.StringIO()
        self._console = Console(
            file=self._out,
            width=self.width,
            color_system="standard" if color else None,
            force_terminal=color,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def blank(self) -> None:
        """Add an empty line."""
        self.line(Text())

    def line(self, text: Text) -> None:
        """Add one line as it is, however long. Control characters, which could drive the terminal, become "?"."""
        text.plain = text.plain.translate(_CONTROL)
        self._console.print(text, soft_wrap=True)

    def heading(self, text: str) -> None:
        """Add an empty line and a heading."""
        self.blank()
        self.line(Text(text, style="bold"))

    def paragraph(
        self, text: str, *, indent: int = 0, lead: str = "", lead_style: str = "bold", style: str = ""
    ) -> None:
        """Add a wrapped paragraph with `lead` in front; further lines align with its end, if it is short."""
        hang = indent + (len(lead) if len(lead) <= 12 else 2)
        for number, line in enumerate(wrap(text, self.width, " " * indent + lead, " " * hang)):
            styled = Text(line, style=style)
            styled.highlight_regex(_QUOTED, "cyan")
            if number == 0 and lead:
                styled.stylize(lead_style, indent, indent + len(lead.rstrip()))
            self.line(styled)

    def command(self, command: str, *, indent: int = 2) -> None:
        """Add a shell command that can be copied: broken only between words, with a backslash."""
        words = _SHELL_WORDS.findall(command)
        line = " " * indent
        for position, word in enumerate(words):
            room = self.width - (2 if position < len(words) - 1 else 0)
            if line.strip() and len(line) + 1 + len(word) > room:
                self.line(Text(f"{line} \\"))
                line = " " * (indent + 4) + word
            else:
                line = f"{line} {word}" if line.strip() else line + word
        self.line(Text(line))

    def verbatim(self, text: str, *, indent: int = 2, style: str = "") -> None:
        """Add lines that keep their breaks and length, such as the user's traceback."""
        for line in text.expandtabs(4).splitlines():
            self.line(Text(f"{' ' * indent}{line}".rstrip(), style=style))

    def table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str], fold: Sequence[str]
    ) -> None:
        """Add a table without rules. Columns in `right` align to the right; those in `fold` may take more lines."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for index, name in enumerate(header):
            longest = max(len(text) for text in (name, *(row[index] for row in rows)))
            table.add_column(
                name,
                justify="right" if name in right else "left",
                overflow="fold",
                no_wrap=name not in fold,
                # A short name, or its heading, is not broken.
                min_width=min(longest, _UNBROKEN) if self.width >= _ROOMY else None,
            )
        for row in rows:
            cells = [" ".join(cell.translate(_CONTROL).split()) for cell in row]
            table.add_row(*(Text(cell, style=VERDICT_STYLES.get(cell, "")) for cell in cells))
        with self._console.capture() as capture:
            self._console.print(table, width=self.width - 2)
        for line in capture.get().splitlines():
            self._out.write(f"  {line}".rstrip() + "\n")

    def text(self) -> str:
        """Return the page."""
        return self._out.getvalue()


VERDICT_STYLES = {
    "wrong": "bold red",
    "disagrees": "bold red",
    "correct": "bold green",
    "agrees": "green",
    "undecided": "bold yellow",
    "independent": "yellow",
    "blocked": "bold magenta",
    "verified": "bold green",
    "refuted": "bold red",
    "passed": "green",
    "failed": "bold red",
}


def wrap(text: str, width: int, first: str, rest: str) -> list[str]:
    """Wrap `text`, keeping numbers with their units and intervals on one line."""
    glued = _GLUE.sub(_NO_BREAK, " ".join(text.split()))
    lines = textwrap.wrap(glued, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in lines or [first.rstrip()]]
