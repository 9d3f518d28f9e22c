"""What a tool is, and what it works on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from harness.agent.measure import Laboratory
from harness.agent.program import Program
from harness.agent.sandbox import Sandbox
from harness.agent.submission import Submission
from harness.agent.workspace import Workspace
from harness.schema import Report

MAX_FILE_BYTES = 4 * 2**20
MAX_ARGUMENT = 10_000


class ToolRefused(Exception):
    """The tool does not do that; the message is for the model and says what would work."""


class Input(BaseModel):
    """Base of every tool's input: no unknown fields, no silent conversions."""

    model_config = ConfigDict(extra="forbid", strict=True)


@dataclass
class Bench:
    """What the tools of one run share."""

    program: Program
    original: Workspace
    """The project as the user left it; nothing writes here."""
    workspace: Workspace
    """The copy that the model works in."""
    candidate: Path
    """Where a tree with the fix alone is put together."""
    outputs: Path
    """Where results that were cut are kept in full."""
    sandbox: Sandbox
    seconds_left: Callable[[], float]
    tool_seconds: float
    keep_report: Callable[[Report], None]
    """Takes each diagnosis of the user's program as it was at some stage of the work."""
    skill: Path | None = None
    submission: Submission | None = None
    edited: set[str] = field(default_factory=set)
    """Files that the model has edited or written."""

    @property
    def edited_of_the_project(self) -> list[str]:
        """Files of the user's that the model has edited, without those that it made."""
        return [path for path in sorted(self.edited) if (self.original.root / path).exists()]

    @property
    def seconds(self) -> float:
        """Longest run of a tool from now on."""
        return max(min(self.tool_seconds, self.seconds_left()), 1.0)

    @property
    def laboratory(self) -> Laboratory:
        """For measurements within the time that is left."""
        return Laboratory(self.program, self.sandbox, self.seconds)


InputT = TypeVar("InputT", bound=BaseModel)


@dataclass(frozen=True)
class Tool:
    """A tool. `run` gets a checked input and returns text, or data that is sent as JSON."""

    name: str
    description: str
    input: type[BaseModel]
    run: Callable[[Bench, Any], str | dict[str, Any]]

    def definition(self) -> dict[str, Any]:
        """As the Messages API takes it."""
        schema = self.input.model_json_schema()
        schema.pop("title", None)
        return {"name": self.name, "description": self.description, "input_schema": schema}


def check_arguments(arguments: Sequence[str]) -> None:
    """Refuse what no command line can hold.

    Raises:
        ToolRefused: too long, or with a zero byte.
    """
    if any(len(argument) > MAX_ARGUMENT or "\0" in argument for argument in arguments):
        raise ToolRefused(f"An argument has at most {MAX_ARGUMENT} characters and no zero byte.")


def text_of(path: Path, shown: str) -> str:
    """The text of a file.

    Raises:
        ToolRefused: it is too large, or no UTF-8 text.
    """
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise ToolRefused(f"`{shown}` has {size} bytes; files up to {MAX_FILE_BYTES} bytes can be read.")
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ToolRefused(f"`{shown}` is no UTF-8 text ({size} bytes).") from None
