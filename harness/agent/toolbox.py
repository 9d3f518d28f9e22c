"""Carries out the model's tool calls: input checked, time bounded, answers cut to size, all of it in the transcript."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from harness.agent.budget import Meter
from harness.agent.deadline import OutOfTime, deadline
from harness.agent.events import ToolCalled, ToolReturned
from harness.agent.scrub import Scrubber
from harness.agent.tools.base import Bench, Tool, ToolRefused
from harness.agent.tools.read_file import OUTPUT_PREFIX
from harness.agent.transcript import Transcript
from harness.agent.workspace import OutsideWorkspace

_LARGEST_INPUT = 2_000_000
_GRACE_SECONDS = 30.0


@dataclass(frozen=True)
class Answer:
    """What the model gets."""

    text: str
    is_error: bool


class Toolbox:
    """The tools of one run."""

    def __init__(
        self, tools: Sequence[Tool], bench: Bench, meter: Meter, transcript: Transcript, scrubber: Scrubber, most: int
    ) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self._bench = bench
        self._meter = meter
        self._transcript = transcript
        self._scrubber = scrubber
        self._most = most

    def call(self, name: str, given: object) -> Answer:
        """Carry out one call. Never raises for what the model has done."""
        started = time.monotonic()
        self._transcript.add(ToolCalled(name=name, input=given))
        answer = self._carry_out(name, given)
        text = self._cut(self._scrubber.secrets(answer.text))
        answer = Answer(text, answer.is_error)
        seconds = round(time.monotonic() - started, 3)
        self._transcript.add(ToolReturned(name=name, is_error=answer.is_error, text=text, seconds=seconds))
        warning = self._meter.warning()
        return Answer(f"{text}\n\n[{warning}]", answer.is_error) if warning and not self._is_over else answer

    @property
    def _is_over(self) -> bool:
        return self._bench.submission is not None

    def _carry_out(self, name: str, given: object) -> Answer:
        tool = self.tools.get(name)
        if tool is None:
            return Answer(f"There is no tool `{name}`; there are: {', '.join(self.tools)}.", is_error=True)
        try:
            size = len(json.dumps(given))
            if size > _LARGEST_INPUT:
                raise ToolRefused(f"The input has {size} characters; the most is {_LARGEST_INPUT}.")
            # From JSON, so that lists become the tuples that some schemas keep.
            checked = tool.input.model_validate_json(json.dumps(given))
            with deadline(self._bench.seconds + _GRACE_SECONDS):
                result = tool.run(self._bench, checked)
        except ValidationError as error:
            return Answer(_what_is_wrong(tool, error), is_error=True)
        except (ToolRefused, OutsideWorkspace, OutOfTime) as error:
            return Answer(str(error), is_error=True)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"The tool failed by itself: {type(error).__name__}: {error} ({where.name}, line {where.lineno})."
            return Answer(text, is_error=True)
        return Answer(result if isinstance(result, str) else json.dumps(result, ensure_ascii=False), is_error=False)

    def _cut(self, text: str) -> str:
        if len(text) <= self._most:
            return text
        number = 1 + sum(1 for _ in self._bench.outputs.glob("*.txt"))
        # One long line could not be read in parts.
        lines = [line[i : i + 500] for line in text.split("\n") for i in range(0, max(len(line), 1), 500)]
        (self._bench.outputs / f"{number}.txt").write_text("\n".join(lines), encoding="utf-8", errors="replace")
        head = self._most * 2 // 3
        tail = self._most - head
        return (
            f"{text[:head]}\n[{len(text) - self._most} characters left out; all {len(lines)} lines are in "
            f"`{OUTPUT_PREFIX}{number}`, see read_file]\n{text[-tail:]}"
        )


def _what_is_wrong(tool: Tool, error: ValidationError) -> str:
    told = []
    for problem in error.errors(include_url=False, include_context=False)[:8]:
        where = ".".join(str(part) for part in problem["loc"]) or "the input"
        told.append(f"{where}: {problem['msg']}")
    known = ", ".join(tool.input.model_fields)
    return f"The input of {tool.name} is not right. {'; '.join(told)}. Its fields: {known}."


def definitions(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """All tools as the Messages API takes them."""
    return [tool.definition() for tool in tools]
