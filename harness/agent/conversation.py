"""The loop: the SDK's tool runner, with our history, our budget and our retries around it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from harness.agent import history
from harness.agent.budget import LimitReached, Meter
from harness.agent.deadline import deadline
from harness.agent.events import Reply, Retried, Stopped, Told, Trimmed
from harness.agent.history import Message
from harness.agent.scrub import mapped, well_formed
from harness.agent.sdk import RunnableTool, tool_results, whole_message
from harness.agent.service import Failure, failure_of, wait_before
from harness.agent.settings import Settings
from harness.agent.toolbox import Toolbox
from harness.agent.tools.base import Bench
from harness.agent.tools.submit_findings import NAME as SUBMIT
from harness.agent.transcript import Transcript

_CONTEXT_FULL = "model_context_window_exceeded"
_MOST_REMINDERS = 2

Reason = Literal["submitted", "limit", "interrupted", "refused", "silent", "service", "context"]


@dataclass(frozen=True)
class Ending:
    """How the conversation ended."""

    reason: Reason
    detail: str = ""


class Conversation:
    """One conversation, from its messages so far to its end."""

    def __init__(
        self,
        client: Any,
        settings: Settings,
        system: list[dict[str, Any]],
        toolbox: Toolbox,
        bench: Bench,
        meter: Meter,
        transcript: Transcript,
        messages: list[Message],
        save: Callable[[list[Message]], None],
        is_streaming: bool = True,
    ) -> None:
        self._client = client
        self._settings = settings
        self._system = system
        self._toolbox = toolbox
        self._tools = [RunnableTool(tool, toolbox, meter) for tool in toolbox.tools.values()]
        self._bench = bench
        self._meter = meter
        self._transcript = transcript
        self._messages = messages
        self._save = save
        self._is_streaming = is_streaming
        self._failures = 0
        self._reminders = 0

    def run(self) -> Ending:
        """Talk until the model hands in its findings, or something ends it."""
        try:
            ending = self._until_the_end()
        except LimitReached as limit:
            ending = Ending("limit", str(limit))
        except KeyboardInterrupt:
            ending = Ending("interrupted", "Ctrl-C")
        self._transcript.add(Stopped(reason=ending.reason, detail=ending.detail))
        return ending

    def _until_the_end(self) -> Ending:
        ending = None
        while ending is None:
            limit = self._meter.reached()
            if limit:
                return Ending("limit", limit)
            try:
                ending = self._talk()
            except Exception as error:
                failure = failure_of(error)
                if failure is None:
                    raise
                ending = self._after(failure)
        return ending

    def _talk(self) -> Ending | None:
        """Talk until the model stops calling tools; None to go on with the messages as they then are."""
        runner = self._client.beta.messages.tool_runner(**self._request())
        items: Iterator[Any] = iter(runner)
        while True:
            started = time.monotonic()
            # Not only a bound on silence: a service that sends a byte now and then would get past that.
            with deadline(min(self._settings.request_seconds, self._meter.seconds_left + 1.0)):
                item = next(items, None)
                if item is None:
                    return None
                message = whole_message(item) if self._is_streaming else item
            self._count(message, time.monotonic() - started)
            if message.stop_reason is None:  # the stream broke off, which the SDK lets pass
                return self._after(Failure("retry", "the reply broke off"))
            self._failures = 0
            reply: Message = _as_sent(message)
            if message.stop_reason == "tool_use":
                ending = self._carry_out(reply, runner)
            elif message.stop_reason in ("pause_turn", "compaction"):
                self._keep(reply)
                ending = None
            else:
                return self._stopped(message, reply)
            if ending is not None:
                return ending

    def _request(self) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._settings.model,
            "max_tokens": self._meter.reply_tokens(),
            "messages": list(self._messages),
            "system": self._system,
            "tools": self._tools,
            "cache_control": {"type": "ephemeral"},
            "thread": False,
            "stream": self._is_streaming,
            "timeout": max(min(self._settings.request_seconds, self._meter.seconds_left), 0.1),
        }
        if self._settings.effort:
            request["output_config"] = {"effort": self._settings.effort}
        return request

    def _carry_out(self, reply: Message, runner: Any) -> Ending | None:
        limit = self._meter.reached()
        self._keep(reply)
        if limit:
            # The findings may be in this very reply; nothing else is done any more.
            for call in history.calls(reply):
                if call["name"] == SUBMIT:
                    self._toolbox.call(SUBMIT, call["input"])
            return Ending("submitted") if self._bench.submission else Ending("limit", limit)
        for call in history.calls(reply):
            if call["name"] not in self._toolbox.tools:
                self._toolbox.call(call["name"], call["input"])  # for the transcript; the runner answers by itself
        results = tool_results(runner)
        if results is None:
            return Ending("silent", "the reply says that it calls a tool, and calls none")
        self._keep(results)
        return Ending("submitted") if self._bench.submission else None

    def _keep(self, message: Message) -> None:
        self._messages.append(message)
        self._save(self._messages)

    def _stopped(self, message: Any, reply: Message) -> Ending | None:
        reason = message.stop_reason
        if reason == "refusal":
            details = getattr(message, "stop_details", None)
            said = getattr(details, "explanation", None) or "no reason given"
            return Ending("refused", f"the model declined to go on ({said})")
        if reason == _CONTEXT_FULL:
            return self._after(Failure("too-long", "the conversation fills the model's context"))
        if self._reminders == _MOST_REMINDERS:
            return Ending("silent", f"the model stopped without findings ({reason})")
        self._reminders += 1
        self._keep(history.without_calls(reply))
        if reason == "max_tokens":
            self._tell(f"Your reply was cut off at {self._settings.reply_tokens} tokens. Go on, in smaller steps.")
        else:
            self._tell(f"The work ends with {SUBMIT}. Call it with what you have measured, or go on working.")
        return None

    def _tell(self, said: str) -> None:
        self._transcript.add(Told(text=said))
        self._keep(history.user(history.text(said)))

    def _after(self, failure: Failure) -> Ending | None:
        if failure.kind == "final":
            return Ending("service", failure.why)
        if failure.kind == "too-long":
            self._messages[:], saved = history.trimmed(self._messages)
            if saved <= 0:
                return Ending("context", failure.why)
            self._transcript.add(Trimmed(characters=saved))
            self._save(self._messages)
            return None
        self._failures += 1
        if self._failures > self._settings.retries:
            return Ending("service", f"{failure.why}, {self._failures} times in a row")
        wait = min(wait_before(self._failures, failure, self._settings.max_wait), self._meter.seconds_left)
        self._transcript.add(Retried(why=failure.why, attempt=self._failures, wait=round(wait, 3)))
        time.sleep(wait)
        return None

    def _count(self, message: Any, seconds: float) -> None:
        cost = self._meter.add(message.usage)
        parts: dict[str, list[str]] = {"text": [], "thinking": []}
        for block in message.content:
            if block.type in parts:
                parts[block.type].append(getattr(block, block.type))
        self._transcript.add(
            Reply(
                number=self._meter.spent.replies,
                text="\n".join(parts["text"]),
                thinking="\n".join(parts["thinking"]),
                tool_calls=sum(block.type == "tool_use" for block in message.content),
                stop_reason=message.stop_reason or "none",
                input_tokens=message.usage.input_tokens or 0,
                output_tokens=message.usage.output_tokens or 0,
                cache_write_tokens=message.usage.cache_creation_input_tokens or 0,
                cache_read_tokens=message.usage.cache_read_input_tokens or 0,
                cost=cost,
                seconds=round(seconds, 3),
            )
        )


def _as_sent(message: Any) -> Message:
    """A reply as a message of the next request, in plain JSON so that it can be stored."""
    content = mapped([block.to_dict(mode="json") for block in message.content], well_formed)
    return {"role": "assistant", "content": content or [history.text("(no text)")]}
