"""The messages of a conversation: kept by us, so that it survives a failed request and can be resumed."""

from __future__ import annotations

from typing import Any

_LONG = 600
_KEPT_MESSAGES = 4
_PLACEHOLDER = "[taken out to make room: {} characters; call the tool again to see this]"

Message = dict[str, Any]


def calls(message: Message) -> list[dict[str, Any]]:
    """The tool calls of a reply."""
    content = message["content"]
    return [block for block in content if block["type"] == "tool_use"] if isinstance(content, list) else []


def answered(call: dict[str, Any], text: str, is_error: bool = False) -> dict[str, Any]:
    """A result for a tool call."""
    return {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": is_error}


def user(*blocks: dict[str, Any]) -> Message:
    """A message of ours."""
    return {"role": "user", "content": list(blocks)}


def text(said: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": said}


def without_calls(message: Message) -> Message:
    """A reply that was cut off: its tool calls may be incomplete, so they are taken out."""
    kept = [block for block in message["content"] if block["type"] in ("text", "thinking", "redacted_thinking")]
    if not any(block["type"] == "text" and block["text"].strip() for block in kept):
        kept.append(text("(cut off)"))
    return {**message, "content": kept}


def repaired(messages: list[Message]) -> list[Message]:
    """The messages of an interrupted run, fit to be continued: every tool call has a result."""
    if not messages or messages[-1]["role"] != "assistant":
        return list(messages)
    open_calls = calls(messages[-1])
    if not open_calls:
        return [*messages, user(text("The work was interrupted. Continue."))]
    told = "The work was interrupted here, and this call may or may not have taken effect. Look before you repeat it."
    return [*messages, user(*(answered(call, told, is_error=True) for call in open_calls))]


def trimmed(messages: list[Message]) -> tuple[list[Message], int]:
    """The messages with long tool results of the past taken out, and how many characters that saves."""
    saved = 0
    kept = []
    for number, message in enumerate(messages):
        is_old = number < len(messages) - _KEPT_MESSAGES
        if message["role"] == "user" and isinstance(message["content"], list):
            # Where only the latest are left, they have to go as well.
            blocks = [_shortened(block, is_old) for block in message["content"]]
            saved += sum(len(str(old)) - len(str(new)) for old, new in zip(message["content"], blocks, strict=True))
            message = {**message, "content": blocks}
        kept.append(message)
    return kept, saved


def _shortened(block: dict[str, Any], is_old: bool) -> dict[str, Any]:
    if block["type"] != "tool_result":
        return block
    content = block["content"] if isinstance(block["content"], str) else str(block["content"])
    longest = _LONG if is_old else 10 * _LONG
    if len(content) <= longest:
        return block
    return {**block, "content": content[: longest // 2] + "\n" + _PLACEHOLDER.format(len(content) - longest // 2)}
