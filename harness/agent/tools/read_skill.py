"""`read_skill`."""

from __future__ import annotations

from pydantic import Field

from harness.agent.tools.base import Bench, Input, Tool, ToolRefused, text_of
from harness.agent.workspace import Workspace

_FOLDERS = ("references", "reference", "assets", "scripts", "templates", "examples")


class ReadSkill(Input):
    """Input."""

    path: str = Field(description="Relative to the folder of the skill, for example `references/checklist.md`")


def _run(bench: Bench, given: ReadSkill) -> str:
    assert bench.skill is not None
    folder = Workspace(bench.skill)
    path = folder.existing_file(given.path)
    top = folder.relative(path).partition("/")[0]
    if top != "SKILL.md" and top not in _FOLDERS:
        raise ToolRefused(f"Of the skill, `SKILL.md` and the folders {', '.join(_FOLDERS)} can be read.")
    return text_of(path, given.path)


TOOL = Tool("read_skill", "Read a file that the skill refers to, when the skill says to.", ReadSkill, _run)
