"""What the model can do. One module for each tool, each with its schema, its bounds and its errors."""

from __future__ import annotations

from harness.agent.tools import (
    diagnose,
    edit_file,
    explain,
    list_files,
    read_file,
    read_skill,
    render,
    run_script,
    search,
    submit_findings,
    verify,
    write_file,
)
from harness.agent.tools.base import Tool

ON_FILES: tuple[Tool, ...] = (
    list_files.TOOL,
    read_file.TOOL,
    search.TOOL,
    edit_file.TOOL,
    write_file.TOOL,
    run_script.TOOL,
    submit_findings.TOOL,
)
"""With any skill, and with none."""

OF_THE_HARNESS: tuple[Tool, ...] = (diagnose.TOOL, explain.TOOL, render.TOOL, verify.TOOL)
"""With this project's skill."""

OF_A_SKILL: tuple[Tool, ...] = (read_skill.TOOL,)
