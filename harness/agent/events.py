"""The transcript's events, one JSON object a line. `type` tells them apart."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from harness.agent.submission import Submission
from harness.schema.model import Items, Model

FORMAT_VERSION = "1"


class Event(Model):
    """What all have."""

    at: float = 0.0
    """Seconds since the run began."""


class RunStarted(Event):
    """A run, or its continuation."""

    type: Literal["run_started"] = "run_started"
    format_version: str = FORMAT_VERSION
    tool_version: str
    sdk_version: str
    when: str
    """Date and time, ISO 8601, UTC."""
    is_resumed: bool = False
    model: str
    settings: dict[str, Any]
    program: Items[str]
    """The command line of the program."""
    complaint: str
    skill: str
    """Name of the skill in the system prompt, or "none"."""
    confinement: str
    """How scripts are kept from the user's files."""


class Reply(Event):
    """One reply of the model."""

    type: Literal["reply"] = "reply"
    number: int
    text: str
    thinking: str = ""
    tool_calls: int
    stop_reason: str
    input_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    cost: float
    """US dollars."""
    seconds: float


class ToolCalled(Event):
    """A tool, with what the model passed; long texts are cut."""

    type: Literal["tool_called"] = "tool_called"
    name: str
    input: Any


class ToolReturned(Event):
    """What the model got to see; long texts are cut."""

    type: Literal["tool_returned"] = "tool_returned"
    name: str
    is_error: bool
    text: str
    seconds: float


class Told(Event):
    """Something the harness said to the model of its own accord."""

    type: Literal["told"] = "told"
    text: str


class Retried(Event):
    """A request that failed and is made again."""

    type: Literal["retried"] = "retried"
    why: str
    attempt: int
    wait: float
    """Seconds until the next try."""


class Trimmed(Event):
    """The conversation had become too long; results of tools were taken out of it."""

    type: Literal["trimmed"] = "trimmed"
    characters: int


class Stopped(Event):
    """The conversation ended."""

    type: Literal["stopped"] = "stopped"
    reason: str
    detail: str


class Submitted(Event):
    """What the model claims."""

    type: Literal["submitted"] = "submitted"
    submission: Submission


class Measured(Event):
    """What the harness measured afterwards."""

    type: Literal["measured"] = "measured"
    what: str
    verdict: str
    summary: str


class RunEnded(Event):
    """The result."""

    type: Literal["run_ended"] = "run_ended"
    exit_code: int
    outcome: dict[str, Any]
    """As `--format json` prints it."""


AnyEvent = Annotated[
    RunStarted
    | Reply
    | ToolCalled
    | ToolReturned
    | Told
    | Retried
    | Trimmed
    | Stopped
    | Submitted
    | Measured
    | RunEnded,
    Field(discriminator="type"),
]

ANY_EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)
