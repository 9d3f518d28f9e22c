"""`verify`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from harness.agent import patch
from harness.agent.measure import NotMeasured
from harness.agent.tools.base import Bench, Input, Tool, ToolRefused


class Verify(Input):
    """Input."""

    files: list[str] | None = Field(
        None,
        max_length=50,
        description="Changed files that make up the fix; null for all files of the project that you edited",
    )
    metric: str | None = Field(
        None, max_length=200, description="Pattern of a printed line with {} for the number, such as `final loss = {}`"
    )


def _run(bench: Bench, given: Verify) -> dict[str, Any]:
    made = patch.changes(bench.original, bench.workspace, claimed_files(bench, given.files))
    if not made:
        raise ToolRefused("None of these files differs from the original, so there is nothing to verify.")
    patch.tree(bench.original.root, made, bench.candidate)
    try:
        verification = bench.laboratory.verify(bench.original.root, bench.candidate, given.metric)
    except NotMeasured as error:
        raise ToolRefused(str(error)) from None
    shown = verification.model_dump(mode="json", exclude_none=True, exclude={"diff", "tool", "schema_version"})
    return {"files": [change.path for change in made], **shown}


def claimed_files(bench: Bench, files: list[str] | tuple[str, ...] | None) -> list[str]:
    """The files as named inside the workspace, links resolved.

    Raises:
        OutsideWorkspace: a path leads out of it.
    """
    if files is None:
        return bench.edited_of_the_project
    return [bench.workspace.relative(bench.workspace.resolve(path)) for path in files]


TOOL = Tool(
    "verify",
    "Compare the original program with the original plus your changed files: gradient wrong before and right after, "
    "forward values unchanged, nothing else damaged. The same check decides about your fix at the end.",
    Verify,
    _run,
)
