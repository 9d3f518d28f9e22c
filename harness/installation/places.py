"""Where assistants look for skills."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

NAME = "warp-debug-gradients"
"""Of the skill, and so of its folder."""

Scope = Literal["user", "project"]

ASSISTANTS: dict[str, dict[Scope, str]] = {
    "agents": {"user": ".agents/skills", "project": ".agents/skills"},
    "claude": {"user": ".claude/skills", "project": ".claude/skills"},
    "codex": {"user": ".codex/skills", "project": ".codex/skills"},
    "copilot": {"user": ".copilot/skills", "project": ".github/skills"},
    "cursor": {"user": ".cursor/skills", "project": ".cursor/skills"},
    "gemini": {"user": ".gemini/skills", "project": ".gemini/skills"},
    "opencode": {"user": ".config/opencode/skills", "project": ".opencode/skills"},
}
"""Folders below the home folder, and below the folder of a project. "agents" is the one that several tools share."""


def skills_folder(assistant: str, scope: Scope) -> Path:
    """The folder of an assistant that holds one folder for each skill; a project is the current folder."""
    base = Path.home() if scope == "user" else Path.cwd()
    return base / ASSISTANTS[assistant][scope]
