"""`render`."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from harness.agent.measure import NotMeasured
from harness.agent.tools.base import Bench, Input, Tool, ToolRefused


class Render(Input):
    """Input."""

    template: str | None = Field(None, pattern=r"^[a-z][a-z0-9_-]{0,60}$", description="Without it, all are listed")
    variables: dict[str, Any] | None = Field(
        None, description="Values; without them, the template's variables are told"
    )
    output: str = Field("", description="File to write, relative to the workspace; needed with variables")


def _run(bench: Bench, given: Render) -> dict[str, Any]:
    words = ["render"]
    if given.template is None:
        words.append("--list")
    elif given.variables is None:
        words += [given.template, "--help"]
    else:
        words += [given.template, *_settings(given.variables), "--output", _output(bench, given.output)]
    try:
        finished = bench.laboratory.command(words, bench.workspace.root)
    except NotMeasured as error:
        raise ToolRefused(str(error)) from None
    if finished.exit_code != 0:
        raise ToolRefused(finished.ended_by or finished.stderr.strip() or f"exit code {finished.exit_code}")
    if given.variables is not None:
        bench.edited.add(given.output)
        return {"written": given.output, "said": finished.stdout}
    return {"text": finished.stdout}


def _settings(variables: dict[str, Any]) -> list[str]:
    words = []
    for name, value in variables.items():
        if not name.isidentifier():
            raise ToolRefused(f"`{name}` is no name of a variable.")
        words += ["--set", f"{name}={json.dumps(value)}"]
    return words


def _output(bench: Bench, given: str) -> str:
    if not given:
        raise ToolRefused("Name the file to write with `output`.")
    path = bench.workspace.resolve(given)
    if path.exists():
        raise ToolRefused(f"`{given}` exists; name another file.")
    path.parent.mkdir(parents=True, exist_ok=True)
    return str(path)


TOOL = Tool(
    "render",
    "Render one of the templates into a script of its own in the workspace, which checks one thing about a gradient.",
    Render,
    _run,
)
