"""`list_files`."""

from __future__ import annotations

import fnmatch
from typing import Any

from pydantic import Field

from harness.agent.tools.base import Bench, Input, Tool, ToolRefused

_MOST = 500


class ListFiles(Input):
    """Input."""

    pattern: str = Field("*", max_length=200, description="Shell pattern for the whole path, for example `sim/*.py`")


def _run(bench: Bench, given: ListFiles) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    total = 0
    for path in bench.workspace.files():
        if fnmatch.fnmatch(path, given.pattern):
            total += 1
            if len(found) < _MOST:
                found.append({"path": path, "bytes": (bench.workspace.root / path).lstat().st_size})
    if not total:
        raise ToolRefused(f"No file of the workspace matches `{given.pattern}`.")
    answer: dict[str, Any] = {"files": found}
    if total > len(found):
        answer["left_out"] = f"{total - len(found)} more files; use a narrower pattern"
    return answer


TOOL = Tool("list_files", "List the files of the workspace with their sizes.", ListFiles, _run)
