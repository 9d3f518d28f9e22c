"""The harness's own measurements of the workspace, each in a confined process of its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.agent.program import Program
from harness.agent.sandbox import Bounds, CannotConfine, Finished, Sandbox
from harness.schema import Report, Verification

_COMMAND = Path(__file__).resolve().parents[1] / "run.py"
_REPORT_CHARACTERS = 20_000_000
_PROCESSES = 128


class NotMeasured(Exception):
    """There is no result; the message says why."""


@dataclass(frozen=True)
class Laboratory:
    """Runs the command of this project on folders."""

    program: Program
    sandbox: Sandbox
    seconds: float
    """Longest time for one measurement."""

    def diagnose(self, folder: Path, words: Sequence[str], arguments: Sequence[str]) -> Report:
        """The report of a diagnosis. ``words``: program and options, ``arguments``: what follows ``--``.

        Raises:
            NotMeasured: no report came out.
        """
        own = ["--quiet", "--format", "json", "--python", self.program.python]
        finished = self.command([*words, *own, *(["--", *arguments] if arguments else [])], folder)
        try:
            return Report.model_validate_json(_last_object(finished.stdout))
        except ValidationError:
            raise NotMeasured(_why(finished)) from None

    def diagnose_program(self, folder: Path) -> Report:
        """The report of the user's own program."""
        return self.diagnose(folder, self.program.words, self.program.arguments)

    def verify(self, before: Path, after: Path, metric: str | None = None) -> Verification:
        """Whether `after` is a fix of `before`.

        Raises:
            NotMeasured: no result came out.
        """
        program = self.program
        named = ["--entry", program.script] if program.script else ["-m", str(program.module)]
        words = ["verify", str(before), str(after), *named, "--python", program.python, "--quiet", "--format", "json"]
        words += [f"--set={name}={value}" for name, value in program.overrides.items()]
        pattern = metric or program.metric
        words += [f"--metric={pattern}"] if pattern else []
        finished = self.command([*words, *(["--", *program.arguments] if program.arguments else [])], after)
        try:
            return Verification.model_validate_json(_last_object(finished.stdout))
        except ValidationError:
            raise NotMeasured(_why(finished)) from None

    def command(self, words: Sequence[str], folder: Path) -> Finished:
        """The command with these arguments, started in a folder.

        Raises:
            NotMeasured: it could not be started.
        """
        bounds = Bounds(seconds=self.seconds, processes=_PROCESSES, kept_characters=_REPORT_CHARACTERS, output_mib=64)
        try:
            return self.sandbox.run([sys.executable, str(_COMMAND), *words], folder, bounds, may_leave_group=True)
        except CannotConfine as error:
            raise NotMeasured(str(error)) from None


def _last_object(text: str) -> str:
    """The JSON object at the end; `--bisect` and the like print before it."""
    start = re.search(r"^\{", text, re.MULTILINE)
    return text[start.start() :] if start else text


def _why(finished: Finished) -> str:
    if finished.ended_by:
        return f"The measurement was ended: {finished.ended_by}."
    said = (finished.stderr.strip() or finished.stdout.strip())[-2000:]
    return said or f"The measurement ended with exit code {finished.exit_code} and said nothing."


def checks_of(report: Report) -> list[dict[str, Any]]:
    """What a report says of each parameter, in short."""
    return [
        {
            "parameter": parameter.name,
            "verdict": parameter.verdict,
            "checks": [
                check.model_dump(
                    mode="json",
                    exclude_none=True,
                    include={
                        "iteration", "objective", "oracle", "autodiff", "measured", "interval", "ratio", "verdict",
                        "reason", "explanation", "next_step", "smallest_visible_error",
                    },
                )
                for check in parameter.checks
            ],
        }
        for parameter in report.parameters
    ]  # fmt: skip
