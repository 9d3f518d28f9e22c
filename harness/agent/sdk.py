"""The only place that imports the SDK. Import it late: it takes one to two seconds."""

from __future__ import annotations

import ipaddress
import json
import logging
import warnings
from typing import Any
from urllib.parse import urlsplit

import anthropic
from anthropic.lib.tools import BetaBuiltinFunctionTool, ToolError

from harness.agent.budget import LimitReached, Meter
from harness.agent.toolbox import Toolbox
from harness.agent.tools.base import Tool
from harness.agent.tools.submit_findings import NAME as SUBMIT

VERSION: str = anthropic.__version__

# The SDK logs what our tools raise; that is in the transcript.
logging.getLogger("anthropic").addHandler(logging.NullHandler())
logging.getLogger("anthropic").propagate = False


def client(key_name: str, key: str, base_url: str | None, seconds: float) -> anthropic.Anthropic:
    """A client with this key. Retries are ours: the SDK would wait as long as the service asks for."""
    given: dict[str, Any] = {"api_key" if key_name == "ANTHROPIC_API_KEY" else "auth_token": key}
    if base_url:
        given["base_url"] = base_url
    made = anthropic.Anthropic(max_retries=0, timeout=seconds, **given)
    if _is_loopback(str(made.base_url)):
        made = made.copy(http_client=anthropic.DefaultHttpxClient(trust_env=False, timeout=seconds))
    return made


def whole_message(stream: Any) -> Any:
    """Read a streamed reply to its end.

    Raises:
        ValueError: the input of a tool call is no complete JSON; the SDK would pass on what it made of the beginning.
    """
    inputs: dict[int, str] = {}
    for event in stream:
        if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            inputs[event.index] = inputs.get(event.index, "") + event.delta.partial_json
        elif event.type == "content_block_stop" and inputs.get(event.index, "").strip():
            json.loads(inputs[event.index])
    return stream.get_final_message()


def tool_results(runner: Any) -> Any:
    """Run the tools that the latest reply calls; the message with their results, None if it calls none."""
    with warnings.catch_warnings():
        # Of a tool that does not exist; the model is told, and the transcript has it.
        warnings.simplefilter("ignore", UserWarning)
        return runner.generate_tool_call_response()


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class RunnableTool(BetaBuiltinFunctionTool):  # type: ignore[misc,unused-ignore]
    """One of our tools as the SDK's runner takes it."""

    def __init__(self, tool: Tool, toolbox: Toolbox, meter: Meter) -> None:
        self._tool = tool
        self._toolbox = toolbox
        self._meter = meter

    def to_dict(self) -> Any:
        """The definition that is sent."""
        return self._tool.definition()

    def call(self, input: object) -> str:
        """Carry out a call.

        Raises:
            ToolError: the model sees it as an error.
            LimitReached: no time is left; the conversation ends.
        """
        if self._meter.seconds_left <= 0 and self._tool.name != SUBMIT:
            raise LimitReached(self._meter.reached() or "the time is over")
        answer = self._toolbox.call(self._tool.name, input)
        if answer.is_error:
            raise ToolError(answer.text)
        return answer.text
