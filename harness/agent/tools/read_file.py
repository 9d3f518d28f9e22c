"""`read_file`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from harness.agent.tools.base import Bench, Input, Tool, ToolRefused, text_of

OUTPUT_PREFIX = "output:"
_MOST_LINES = 2000


class ReadFile(Input):
    """Input."""

    path: str = Field(description="Relative to the workspace, or `output:N` for a result that was cut")
    first_line: int = Field(1, ge=1, description="Counted from 1")
    lines: int = Field(400, ge=1, le=_MOST_LINES)


def _run(bench: Bench, given: ReadFile) -> str:
    text = text_of(_place(bench, given.path), given.path)
    lines = text.split("\n")
    if given.first_line > len(lines):
        raise ToolRefused(f"`{given.path}` has {len(lines)} lines.")
    last = min(given.first_line + given.lines - 1, len(lines))
    shown = "\n".join(f"{n:5d}  {lines[n - 1]}" for n in range(given.first_line, last + 1))
    rest = "" if last == len(lines) else f"\n[lines {last + 1} to {len(lines)} left out; set first_line]"
    return f"{given.path}, lines {given.first_line} to {last} of {len(lines)}\n{shown}{rest}"


def _place(bench: Bench, path: str) -> Path:
    if not path.startswith(OUTPUT_PREFIX):
        return bench.workspace.existing_file(path)
    number = path.removeprefix(OUTPUT_PREFIX)
    place = bench.outputs / f"{number}.txt"
    if not number.isdigit() or not place.is_file():
        raise ToolRefused(f"There is no `{path}`.")
    return place


TOOL = Tool("read_file", "Read a text file of the workspace, with line numbers.", ReadFile, _run)
