"""Any assistant's command line, run in the prepared workspace; it leaves ``findings.json`` and mended files."""

from __future__ import annotations

import os
import shlex
import shutil

from evals.agents.base import AgentSpec, Assignment, Work
from evals.agents.process import run
from evals.result import Usage
from evals.scoring.handed_in import parse
from evals.workspace import FINDINGS, PROMPT
from harness.options import UsageError

_PLACEHOLDERS = ("prompt_file", "prompt", "workspace", "skill", "entry", "seed")
_TAIL = 20_000


class Command:
    """A template of a command line; ``{prompt_file}`` and the like are filled in, see `_PLACEHOLDERS`."""

    mends = True

    def __init__(self, spec: AgentSpec) -> None:
        try:
            self._words = shlex.split(spec.command)
            self._filled(dict.fromkeys(_PLACEHOLDERS, ""))
        except (ValueError, KeyError, IndexError) as error:
            known = ", ".join(f"{{{name}}}" for name in _PLACEHOLDERS)
            raise UsageError(f"`--command {spec.command}` cannot be read ({error}); it may contain {known}.") from None
        if not self._words:
            raise UsageError("The agent `command` needs --command 'ASSISTANT ... {prompt_file}'.")
        if shutil.which(self._words[0]) is None:
            raise UsageError(f"`{self._words[0]}` is not a command on this machine.")
        self._spec = spec

    def work(self, assignment: Assignment) -> Work:
        """Run the command in the workspace."""
        values = {
            "prompt_file": str(assignment.workspace / PROMPT),
            "prompt": (assignment.workspace / PROMPT).read_text(encoding="utf-8"),
            "workspace": str(assignment.workspace),
            "skill": str(assignment.workspace / assignment.skill_place) if assignment.skill_place else "",
            "entry": assignment.stored.case.entry,
            "seed": str(assignment.seed),
        }
        ended = run(self._filled(values), assignment.workspace, self._spec.timeout, dict(os.environ))
        left = assignment.workspace / FINDINGS
        text = left.read_text(encoding="utf-8", errors="replace") if left.is_file() else None
        failure = "" if ended.code == 0 else f"the command ended with {ended.code}"
        if ended.code is None:
            failure = f"the command was ended after {self._spec.timeout:.0f} s"
        transcript = (ended.stdout + ("\n--- stderr\n" + ended.stderr if ended.stderr else ""))[-_TAIL:]
        return Work(text, _usage(text, ended.seconds), transcript, failure)

    def _filled(self, values: dict[str, str]) -> list[str]:
        return [word.format(**values) for word in self._words]


def _usage(text: str | None, seconds: float) -> Usage:
    findings, _ = parse(text)
    if findings is None:
        return Usage(seconds=seconds)
    known = findings.usage
    return Usage(
        seconds=seconds, commands=known.commands, input_tokens=known.input_tokens, output_tokens=known.output_tokens
    )  # fmt: skip
