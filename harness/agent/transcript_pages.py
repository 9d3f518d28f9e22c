"""A transcript to read: on a terminal, as Markdown, as HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from harness.agent.events import AnyEvent, Reply, RunEnded, RunStarted, ToolCalled, ToolReturned
from harness.agent.follow import line

Format = Literal["text", "markdown", "html"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TERMINAL_LINES = 40


def render(events: Sequence[AnyEvent], form: Format) -> str:
    """The transcript in one of the forms. Nothing that a program or a model wrote acts on the reader's terminal."""
    if form == "text":
        return "\n".join(_as_text(event) for event in events) + "\n\n" + "\n".join(totals(events)) + "\n"
    if form == "markdown":
        return "\n\n".join(_as_markdown(event) for event in events) + "\n\n" + _table(events)
    return _as_html(events)


def totals(events: Sequence[AnyEvent]) -> list[str]:
    """Usage and cost, in a few lines."""
    replies = [event for event in events if isinstance(event, Reply)]
    calls = [event for event in events if isinstance(event, ToolReturned)]
    return [f"{name:17}  {value}" for name, value in _figures(events, replies, calls)]


def _figures(
    events: Sequence[AnyEvent], replies: Sequence[Reply], calls: Sequence[ToolReturned]
) -> list[tuple[str, str]]:
    codes = [event.exit_code for event in events if isinstance(event, RunEnded)]
    return [
        ("replies", str(len(replies))),
        ("tool calls", f"{len(calls)}, {sum(call.is_error for call in calls)} refused"),
        ("input tokens", f"{sum(r.input_tokens for r in replies):,}"),
        ("from the cache", f"{sum(r.cache_read_tokens for r in replies):,}"),
        ("into the cache", f"{sum(r.cache_write_tokens for r in replies):,}"),
        ("output tokens", f"{sum(r.output_tokens for r in replies):,}"),
        ("cost", f"${sum(r.cost for r in replies):.4f}"),
        ("model's time", f"{sum(r.seconds for r in replies):.1f} s"),
        ("tools' time", f"{sum(call.seconds for call in calls):.1f} s"),
        ("exit code", str(codes[-1]) if codes else "none: the run did not end"),
    ]


def body(event: AnyEvent) -> tuple[str, str]:
    """The long part of an event and its language; empty where `line` says all."""
    if isinstance(event, Reply):
        return event.text, ""
    if isinstance(event, ToolCalled):
        return json.dumps(event.input, indent=1, ensure_ascii=False), "json"
    if isinstance(event, ToolReturned):
        return _indented(event.text), ""
    if isinstance(event, RunStarted):
        return event.complaint, ""
    if isinstance(event, RunEnded):
        return str(event.outcome.get("patch") or ""), "diff"
    return "", ""


def _indented(text: str) -> str:
    try:
        data: Any = json.loads(text)
    except ValueError:
        return text
    return json.dumps(data, indent=1, ensure_ascii=False)


def _as_text(event: AnyEvent) -> str:
    text = _CONTROL.sub("?", body(event)[0])
    lines = text.split("\n") if text.strip() else []
    if len(lines) > _TERMINAL_LINES:
        lines = [*lines[:_TERMINAL_LINES], f"[{len(lines) - _TERMINAL_LINES} more lines; see --format markdown]"]
    return "\n".join([_CONTROL.sub("?", line(event)), *(f"             {part}" for part in lines)])


def _as_markdown(event: AnyEvent) -> str:
    text, language = body(event)
    heading = f"**{event.at:.1f} s** {_quoted(line(event).partition('  ')[2].strip())}"
    if not text.strip():
        return heading
    longest = max((len(found) for found in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{heading}\n\n{fence}{language}\n{text}\n{fence}"


def _quoted(text: str) -> str:
    """As words, whatever Markdown would make of them."""
    return re.sub(r"([\\`*_\[\]<>#|!&])", r"\\\1", text)


def _table(events: Sequence[AnyEvent]) -> str:
    rows = [row.partition("  ") for row in totals(events)]
    return (
        "\n".join(["| used | |", "|---|---|", *(f"| {name.strip()} | {value.strip()} |" for name, _, value in rows)])
        + "\n"
    )


def _as_html(events: Sequence[AnyEvent]) -> str:
    import jinja2

    template = Path(__file__).with_name("transcript.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    shown = [
        {"line": line(event), "body": body(event)[0].strip("\n"), "type": event.type,
         "is_error": isinstance(event, ToolReturned) and event.is_error}
        for event in events
    ]  # fmt: skip
    return environment.from_string(template).render(events=shown, totals=totals(events))
