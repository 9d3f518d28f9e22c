"""One line for each event, for those who watch."""

from __future__ import annotations

import json

from harness.agent.events import (
    AnyEvent,
    Measured,
    Reply,
    Retried,
    RunEnded,
    RunStarted,
    Stopped,
    Submitted,
    Told,
    ToolCalled,
    ToolReturned,
    Trimmed,
)

_WIDTH = 160


def line(event: AnyEvent) -> str:
    """The event in one line, with the time in front."""
    return f"{event.at:7.1f} s  {_first_line(_said(event))}"


def _said(event: AnyEvent) -> str:
    if isinstance(event, RunStarted):
        again = "resumed" if event.is_resumed else "started"
        return f"{again}: {' '.join(event.program)}, {event.model}, skill {event.skill}, scripts in {event.confinement}"
    if isinstance(event, Reply):
        tokens = event.input_tokens + event.cache_read_tokens + event.cache_write_tokens
        return f"reply {event.number} ({tokens} + {event.output_tokens} tokens, ${event.cost:.4f}): {event.text}"
    if isinstance(event, ToolCalled):
        return f"  {event.name} {json.dumps(event.input, ensure_ascii=False)}"
    if isinstance(event, ToolReturned):
        return f"  {'refused' if event.is_error else 'gives'} ({event.seconds:.1f} s) {event.text}"
    if isinstance(event, Told):
        return f"told: {event.text}"
    if isinstance(event, Retried):
        return f"again in {event.wait:.1f} s ({event.attempt}): {event.why}"
    if isinstance(event, Trimmed):
        return f"{event.characters} characters of old tool results taken out of the conversation"
    if isinstance(event, Stopped):
        return f"ended: {event.reason} {event.detail}"
    if isinstance(event, Submitted):
        return f"submitted: {event.submission.verdict}, {len(event.submission.findings)} findings"
    if isinstance(event, Measured):
        return f"measured, {event.what}: {event.verdict}: {event.summary}"
    assert isinstance(event, RunEnded)
    return f"exit code {event.exit_code}: {event.outcome.get('summary', '')}"


def _first_line(text: str) -> str:
    flat = " ".join(text.split("\n")) if text.strip() else text
    return flat if len(flat) <= _WIDTH else flat[: _WIDTH - 3] + "..."
