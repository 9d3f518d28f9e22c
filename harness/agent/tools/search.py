"""`search`."""

from __future__ import annotations

import fnmatch
import re
from typing import Any

from pydantic import Field

from harness.agent.tools.base import MAX_FILE_BYTES, Bench, Input, Tool, ToolRefused

_MOST = 200
_LINE = 300


class Search(Input):
    """Input."""

    pattern: str = Field(min_length=1, max_length=500, description="Regular expression of Python, for single lines")
    files: str = Field("*", max_length=200, description="Shell pattern for the paths")


def _run(bench: Bench, given: Search) -> dict[str, Any]:
    try:
        expression = re.compile(given.pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ToolRefused(f"`{given.pattern}` is no regular expression: {error}.") from None
    found: list[dict[str, Any]] = []
    for path in bench.workspace.files():
        place = bench.workspace.root / path
        if not fnmatch.fnmatch(path, given.files) or place.lstat().st_size > MAX_FILE_BYTES:
            continue
        for number, line in enumerate(place.read_bytes().decode("utf-8", "replace").split("\n"), start=1):
            if expression.search(line[:10_000]):
                found.append({"path": path, "line": number, "text": line.strip()[:_LINE]})
                if len(found) == _MOST:
                    return {"matches": found, "left_out": f"stopped after {_MOST} matches; be more specific"}
    return {"matches": found}


TOOL = Tool("search", "Search the text files of the workspace, line by line.", Search, _run)
