"""A conversation in this process: the real SDK, the real tools, and a loopback server with a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anthropic", reason="the SDK of the agent is not installed")

from examples.agent_demo.scripted_server import ScriptedServer
from harness.agent import sdk
from harness.agent.budget import Meter, Spent
from harness.agent.conversation import Conversation, Ending
from harness.agent.events import AnyEvent
from harness.agent.history import Message
from harness.agent.prices import Price
from harness.agent.program import Program
from harness.agent.prompt import first_message
from harness.agent.sandbox import Sandbox
from harness.agent.scrub import Scrubber
from harness.agent.settings import Settings
from harness.agent.toolbox import Toolbox
from harness.agent.tools import ON_FILES
from harness.agent.tools.base import Bench
from harness.agent.transcript import Transcript, read
from harness.agent.workspace import Workspace

ROOT = Path(__file__).resolve().parents[3]
KEY = "sk-ant-test-0123456789abcdef"
HASTY = Settings(max_wait=0.05, request_seconds=5.0, tool_seconds=10.0)


@dataclass
class Talk:
    """One conversation and what is needed to look at it."""

    folder: Path
    files: dict[str, str] = field(default_factory=lambda: {"train.py": "print(1)\n"})
    settings: Settings = HASTY
    is_streaming: bool = True
    messages: list[Message] = field(default_factory=list)
    saved: list[list[Message]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)

    def __post_init__(self) -> None:
        for name in ("original", "workspace", "candidate", "outputs", "temporary"):
            (self.folder / name).mkdir()
        for name, text in self.files.items():
            for copy in ("original", "workspace"):
                path = self.folder / copy / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self.scrubber = Scrubber({"ANTHROPIC_API_KEY": KEY}, home="/home/somebody")
        self.transcript = Transcript(self.folder / "transcript.jsonl", self.scrubber)
        self.bench = Bench(
            program=Program("train.py"),
            original=Workspace(self.folder / "original"),
            workspace=Workspace(self.folder / "workspace"),
            candidate=self.folder / "candidate",
            outputs=self.folder / "outputs",
            sandbox=Sandbox([self.folder / "workspace", self.folder / "temporary"], self.folder / "temporary"),
            seconds_left=lambda: self.meter.seconds_left,
            tool_seconds=self.settings.tool_seconds,
            keep_report=lambda _: None,
        )
        self.meter = Meter(self.settings, Price(4, 20, 5, 0.2), self.spent)
        self.toolbox = Toolbox(
            ON_FILES, self.bench, self.meter, self.transcript, self.scrubber, self.settings.tool_characters
        )
        self.messages = self.messages or [first_message(Program("train.py"), "it diverges")]

    def run(self, replies: Sequence[dict[str, Any]]) -> Ending:
        """Talk to a server that follows the script."""
        with ScriptedServer(replies) as server:
            conversation = Conversation(
                sdk.client("ANTHROPIC_API_KEY", KEY, server.url, self.settings.request_seconds),
                self.settings, [{"type": "text", "text": "Work."}], self.toolbox, self.bench, self.meter,
                self.transcript, self.messages, lambda messages: self.saved.append(list(messages)), self.is_streaming,
            )  # fmt: skip
            ending = conversation.run()
            self.requests = server.requests
            assert not server.problems, server.problems
        return ending

    def with_settings(self, **changes: Any) -> Talk:
        """The same with other limits; for the first call only."""
        self.settings = replace(self.settings, **changes)
        self.meter = Meter(self.settings, Price(4, 20, 5, 0.2), self.spent)
        self.toolbox = Toolbox(
            ON_FILES, self.bench, self.meter, self.transcript, self.scrubber, self.settings.tool_characters
        )
        return self

    @property
    def events(self) -> list[AnyEvent]:
        """The transcript, as written."""
        return read(self.folder / "transcript.jsonl")

    def of_type(self, kind: str) -> list[Any]:
        """Its events of one type."""
        return [event for event in self.events if event.type == kind]

    def answer(self, name: str, **given: Any) -> str:
        """What a tool says; fails if it is refused."""
        answer = self.toolbox.call(name, given)
        assert not answer.is_error, answer.text
        return answer.text

    def refusal(self, name: str, **given: Any) -> str:
        """Why a tool refuses; fails if it does not."""
        answer = self.toolbox.call(name, given)
        assert answer.is_error, answer.text
        return answer.text


def call(name: str, **given: Any) -> dict[str, Any]:
    """A tool call in a script."""
    return {"name": name, "input": given}


def look() -> dict[str, Any]:
    """A reply that calls a cheap tool."""
    return {"text": "I look.", "tools": [call("list_files")]}


def submit() -> dict[str, Any]:
    """The reply that ends a run."""
    return {"tools": [call("submit_findings", verdict="blocked", summary="no gradient")]}


def failed(status: int, error: str, message: str = "", **headers: str) -> dict[str, Any]:
    """A request that fails."""
    return {"status": status, "error": error, "message": message or error, "headers": headers}
