"""`edit_file`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from harness.agent.tools.base import Bench, Input, Tool, ToolRefused, text_of
from harness.agent.workspace import replace_file


class EditFile(Input):
    """Input."""

    path: str = Field(description="Relative to the workspace")
    old: str = Field(min_length=1, max_length=200_000, description="The text to replace, exactly as it stands")
    new: str = Field(max_length=200_000, description="What takes its place")
    everywhere: bool = Field(False, description="Replace every occurrence; otherwise there has to be exactly one")


def _run(bench: Bench, given: EditFile) -> dict[str, Any]:
    path = bench.workspace.existing_file(given.path)
    text = text_of(path, given.path)
    old, new = given.old, given.new
    if "\r\n" in text and "\r\n" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    count = text.count(old)
    if count == 0:
        raise ToolRefused(f"`old` is not in `{given.path}`. Read the file and copy the text without line numbers.")
    if count > 1 and not given.everywhere:
        lines = [text.count("\n", 0, start) + 1 for start in _starts(text, old)]
        raise ToolRefused(
            f"`old` stands in `{given.path}` {count} times, at lines {lines[:10]}. Take more of the text."
        )
    if old == new:
        raise ToolRefused("`old` and `new` are the same.")
    replace_file(path, text.replace(old, new).encode("utf-8"))
    relative = bench.workspace.relative(path)
    bench.edited.add(relative)
    return {"path": relative, "replaced": count, "first_line": text.count("\n", 0, text.index(old)) + 1}


def _starts(text: str, part: str) -> list[int]:
    starts, at = [], text.find(part)
    while at >= 0:
        starts.append(at)
        at = text.find(part, at + len(part))
    return starts


TOOL = Tool("edit_file", "Replace a piece of text in a file of the workspace.", EditFile, _run)
