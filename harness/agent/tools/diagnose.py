"""`diagnose`."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from harness.agent.measure import NotMeasured, checks_of
from harness.agent.tools.base import Bench, Input, Tool, ToolRefused, check_arguments
from harness.schema import Report

# Options that are not the model's to choose, and why.
_NOT_CHOSEN = {
    "format": "the report comes back as data",
    "output": "the report comes back as data",
    "python": "the user has chosen the interpreter",
    "quiet": "nobody watches",
}


class Diagnose(Input):
    """Input."""

    program: str | None = Field(
        None, max_length=1000, description="Script, relative to the workspace; null for the program under investigation"
    )
    arguments: list[str] | None = Field(None, max_length=100, description="Of the program; null for the user's own")
    options: list[str] = Field(
        default_factory=list,
        max_length=60,
        description='Options of the command, for example ["--set", "STEPS=20", "--iterations", "6", "--elements"]',
    )


def _run(bench: Bench, given: Diagnose) -> dict[str, Any]:
    check_arguments([*given.options, *(given.arguments or [])])
    _check(bench, given.options)
    words = bench.program.words
    if given.program is not None:
        words = [bench.workspace.relative(bench.workspace.existing_file(given.program))]
    arguments = bench.program.arguments if given.arguments is None else given.arguments
    try:
        report = bench.laboratory.diagnose(bench.workspace.root, [*words, *given.options], arguments)
    except NotMeasured as error:
        raise ToolRefused(str(error)) from None
    if given.program is None:
        bench.keep_report(report)
    return _shown(report)


def _check(bench: Bench, options: Sequence[str]) -> None:
    """Refuse what the command would not take, in its own words."""
    from harness.command.arguments import parser

    if "--" in options:
        raise ToolRefused("Arguments of the program belong in `arguments`.")
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            parsed = parser().parse_args(list(options))
    except (SystemExit, argparse.ArgumentError):
        raise ToolRefused(said.getvalue().strip()[-3000:]) from None
    if parsed.script or parsed.module:
        raise ToolRefused("Name a script with `program`; a module is run only if it is the user's program.")
    default = parser().parse_args([])
    for name, why in _NOT_CHOSEN.items():
        if getattr(parsed, name) != getattr(default, name):
            raise ToolRefused(f"--{name} cannot be set: {why}.")
    for name in ("record", "session"):
        if getattr(parsed, name):
            bench.workspace.resolve(getattr(parsed, name))


def _shown(report: Report) -> dict[str, Any]:
    """The report without what a reader of the numbers does not need."""
    data = report.model_dump(mode="json", exclude_none=True, exclude={"parameters", "tool", "schema_version"})
    for finding in data.get("findings", []):
        finding["evidence"] = [entry for entry in finding["evidence"] if entry["type"] != "series"]
    return {"verdict": data.pop("verdict"), "summary": data.pop("summary"), "gradients": checks_of(report), **data}


TOOL = Tool(
    "diagnose",
    "Judge the gradients that a program consumes and look for causes, as `harness/run.py SCRIPT OPTIONS -- ARGUMENTS` "
    "does. Works on the workspace as it now is. Takes seconds to minutes.",
    Diagnose,
    _run,
)
