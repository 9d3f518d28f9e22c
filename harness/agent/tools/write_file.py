"""`write_file`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from harness.agent.tools.base import Bench, Input, Tool, ToolRefused
from harness.agent.workspace import replace_file


class WriteFile(Input):
    """Input."""

    path: str = Field(description="Relative to the workspace; folders are made")
    text: str = Field(max_length=1_000_000)
    overwrite: bool = Field(False, description="Replace a file that is there")


def _run(bench: Bench, given: WriteFile) -> dict[str, Any]:
    path = bench.workspace.resolve(given.path)
    if path.exists():
        bench.workspace.existing_file(given.path)
        if not given.overwrite:
            raise ToolRefused(f"`{given.path}` exists. Change it with edit_file, or replace it with overwrite.")
    try:
        data = given.text.encode("utf-8")
    except UnicodeEncodeError:
        raise ToolRefused("`text` holds characters that cannot be written as UTF-8.") from None
    try:
        replace_file(path, data)
    except OSError as error:
        raise ToolRefused(f"`{given.path}` cannot be written ({error.strerror}).") from None
    relative = bench.workspace.relative(path)
    bench.edited.add(relative)
    return {"path": relative, "bytes": len(data)}


TOOL = Tool("write_file", "Write a text file in the workspace, for example a script to run.", WriteFile, _run)
