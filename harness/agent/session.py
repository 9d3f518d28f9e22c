"""A whole run: copy, converse, measure what was claimed, report."""

from __future__ import annotations

import contextlib
import datetime
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.agent import history, patch
from harness.agent.budget import Meter
from harness.agent.claims import judge
from harness.agent.events import AnyEvent, Measured, RunEnded, RunStarted, Submitted
from harness.agent.measure import NotMeasured
from harness.agent.outcome import AgentExit, Outcome, Usage, conclude
from harness.agent.prices import price_of
from harness.agent.prompt import first_message, load_skill, system
from harness.agent.run_folder import RunFolder, State
from harness.agent.sandbox import Bounds, CannotConfine, Sandbox
from harness.agent.scrub import Scrubber
from harness.agent.settings import Settings
from harness.agent.toolbox import Toolbox
from harness.agent.tools import OF_A_SKILL, OF_THE_HARNESS, ON_FILES
from harness.agent.tools.base import Bench
from harness.agent.transcript import Transcript
from harness.agent.workspace import OutsideWorkspace, Workspace, copy_project
from harness.invocation import command_words
from harness.options import VERSION
from harness.schema import Report, Tool, Verification


@dataclass(frozen=True)
class Wishes:
    """How the user wants the run, beyond the settings."""

    key: tuple[str, str]
    """Name and value."""
    base_url: str | None = None
    is_streaming: bool = True
    has_network: bool = False
    apply: bool = False
    follow: Callable[[AnyEvent], None] | None = None
    """Gets every event, scrubbed."""


class AgentRun:
    """One run, new or resumed."""

    def __init__(
        self, folder: RunFolder, state: State, settings: Settings, wishes: Wishes, environment: Mapping[str, str]
    ) -> None:
        self.folder = folder
        self.state = state
        self.settings = settings
        self.wishes = wishes
        self.scrubber = Scrubber(environment)
        folder.make_folders()
        # Not in the folder of the run: the name of a socket in it may have a hundred characters at most.
        self.temporary = Path(tempfile.mkdtemp(prefix="warp-agent-")).resolve()
        self.sandbox = Sandbox(
            writable=[folder.workspace, self.temporary],
            temporary=self.temporary,
            kernel_cache=folder.kernels,
            has_network=wishes.has_network,
            environment=environment,
        )
        price = price_of(settings.model, settings.price)
        assert price is not None  # the settings are refused without one
        self.meter = Meter(settings, price, state.spent)
        self.skill = load_skill(state.skill)
        self.bench = Bench(
            program=state.program,
            original=Workspace(folder.original),
            workspace=Workspace(folder.workspace),
            candidate=folder.candidate,
            outputs=folder.outputs,
            sandbox=self.sandbox,
            seconds_left=lambda: self.meter.seconds_left,
            tool_seconds=settings.tool_seconds,
            keep_report=folder.keep_report,
            skill=self.skill.folder if self.skill else None,
            submission=state.submission,
            edited=set(state.edited),
        )
        self.transcript = Transcript(folder.transcript, self.scrubber, state.spent.seconds, wishes.follow)

    def run(self) -> Outcome:
        """Converse where that is still to do, then measure; the outcome is also on disk."""
        try:
            earlier = self._verified_earlier() if self.wishes.apply else None
            if earlier is not None:
                return earlier
            ended, detail = ("submitted", "") if self.state.submission else self._converse()
            if ended == "interrupted":
                return self._finished(ended, detail, None, None, [], [])
            return self._measured(ended, detail)
        except KeyboardInterrupt:
            return self._finished("interrupted", "Ctrl-C while measuring", None, None, [], [])
        finally:
            self.transcript.close()
            for scratch in (self.temporary, self.folder.kernels):
                shutil.rmtree(scratch, ignore_errors=True)

    def _converse(self) -> tuple[str, str]:
        from harness.agent import sdk
        from harness.agent.conversation import Conversation

        is_resumed = bool(self.state.messages)
        messages = history.repaired(self.state.messages) if is_resumed else [
            first_message(self.state.program, self.state.complaint)
        ]  # fmt: skip
        self.transcript.add(self._beginning(is_resumed, sdk.VERSION))
        tools = ON_FILES + (OF_A_SKILL if self.skill else ()) + (OF_THE_HARNESS if self._has_harness else ())
        toolbox = Toolbox(
            tools, self.bench, self.meter, self.transcript, self.scrubber, self.settings.tool_characters
        )  # fmt: skip
        conversation = Conversation(
            sdk.client(*self.wishes.key, self.wishes.base_url, self.settings.request_seconds),
            self.settings, system(self.skill), toolbox, self.bench, self.meter, self.transcript, messages,
            self._save, self.wishes.is_streaming,
        )  # fmt: skip
        ending = conversation.run()
        self._save(messages)
        if self.bench.submission is not None:
            self.transcript.add(Submitted(submission=self.bench.submission))
        return ending.reason, ending.detail

    @property
    def _has_harness(self) -> bool:
        return self.skill is not None and self.skill.is_ours

    def _save(self, messages: list[Any]) -> None:
        self.state.messages = self.scrubber.secrets_in(messages)
        self.state.edited = sorted(self.bench.edited)
        self.state.submission = self.bench.submission
        self.state.spent = self.meter.spent
        self.folder.save(self.state)

    def _beginning(self, is_resumed: bool, sdk_version: str) -> RunStarted:
        return RunStarted(
            tool_version=VERSION,
            sdk_version=sdk_version,
            when=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            is_resumed=is_resumed,
            model=self.settings.model,
            settings=asdict(self.settings),
            program=self.state.program.command,
            complaint=self.state.complaint,
            skill=self.skill.name if self.skill else "none",
            confinement=self._confinement(),
        )

    def _confinement(self) -> str:
        """Found out before anything is asked of the model."""
        with contextlib.suppress(CannotConfine):
            self.sandbox.run([sys.executable, "-c", ""], self.folder.workspace, Bounds(seconds=20))
        return str(self.sandbox.mode)

    def _measured(self, ended: str, detail: str) -> Outcome:
        """Diagnose the original and verify the fix; the model's own numbers do not count."""
        failures: list[str] = []
        laboratory = self.bench.laboratory
        laboratory = type(laboratory)(laboratory.program, laboratory.sandbox, self.settings.tool_seconds)
        report: Report | None = None
        try:
            report = laboratory.diagnose_program(self.folder.original)
            self.transcript.add(Measured(what="original program", verdict=report.verdict, summary=report.summary))
        except NotMeasured as error:
            failures.append(f"Diagnosis of the original program: {error}")
        made = self._fix()
        verification: Verification | None = None
        if made:
            patch.tree(self.folder.original, made, self.folder.candidate)
            try:
                verification = laboratory.verify(self.folder.original, self.folder.candidate)
                self.transcript.add(Measured(what="fix", verdict=verification.verdict, summary=verification.summary))
            except NotMeasured as error:
                failures.append(f"Verification of the fix: {error}")
        return self._finished(ended, detail, report, verification, made, failures)

    def _fix(self) -> list[patch.Change]:
        """The files that the model named; if it did not get that far, what it edited of the user's files."""
        submission = self.bench.submission
        if submission is not None:
            named = [] if submission.fix is None else list(submission.fix.files)
        else:
            named = self.bench.edited_of_the_project
        inside = []
        for path in named:
            try:
                inside.append(self.bench.workspace.relative(self.bench.workspace.resolve(path)))
            except OutsideWorkspace:
                continue  # a link has come into being there since; the claim then finds no change
        return patch.changes(self.bench.original, self.bench.workspace, inside)

    def _finished(
        self, ended: str, detail: str, report: Report | None, verification: Verification | None,
        made: list[patch.Change], failures: list[str],
    ) -> Outcome:  # fmt: skip
        submission = self.bench.submission
        claims = judge(submission, report, self.folder.kept_reports(), verification) if submission else []
        code, summary = conclude(ended, claims, report, verification)
        applied: list[str] = []
        if code is AgentExit.FIXED:
            self.folder.keep_verified(made)
            applied = self._apply(made)
        in_patch = {change.path for change in made}
        outcome = Outcome(
            tool=Tool(version=VERSION),
            model=self.settings.model,
            exit_code=int(code),
            summary=summary,
            ended=ended,
            ended_detail=detail,
            submission=submission,
            claims=claims,
            report=report,
            verification=verification,
            not_measured=failures,
            patch=patch.unified(made),
            applied=applied,
            other_changes=sorted(self.bench.edited - in_patch),
            usage=_usage(self.meter),
            run_folder=str(self.folder.root),
            next_steps=self._next(code, bool(applied)),
        )
        outcome = Outcome.model_validate(self.scrubber.value(outcome.model_dump(mode="json")))
        if outcome.patch:
            self.folder.patch.write_text(patch.unified(made), encoding="utf-8")
        self.folder.outcome.write_text(outcome.model_dump_json(indent=2), encoding="utf-8")
        self.transcript.add(RunEnded(exit_code=int(code), outcome=outcome.model_dump(mode="json", exclude={"report"})))
        return outcome

    def _verified_earlier(self) -> Outcome | None:
        """The outcome of a run that ended with a verified fix, now applied."""
        made = self.folder.verified()
        if not made or not self.folder.outcome.is_file():
            return None
        outcome = Outcome.model_validate_json(self.folder.outcome.read_text(encoding="utf-8"))
        if outcome.exit_code != AgentExit.FIXED:
            return None
        applied = self._apply(made)
        outcome = outcome.model_copy(update={"applied": applied, "next_steps": self._next(AgentExit.FIXED, True)})
        self.folder.outcome.write_text(outcome.model_dump_json(indent=2), encoding="utf-8")
        return outcome

    def _apply(self, made: list[patch.Change]) -> list[str]:
        if not self.wishes.apply or self.state.applied:
            return []
        patch.apply(made, Path(self.state.root), self.folder.backup, f"`{self.folder.patch}`")
        self.state.applied = True
        self._save(self.state.messages)
        return [change.path for change in made]

    def _next(self, code: AgentExit, is_applied: bool) -> list[str]:
        command, folder = shlex.join(command_words()), shlex.quote(str(self.folder.root))
        again = f"{command} agent --resume {folder}"
        steps = [f"{command} transcript {folder}"]
        if code is AgentExit.FIXED and not is_applied:
            steps.insert(0, f"{again} --apply")
        if code is AgentExit.STOPPED:
            steps.insert(0, again)
        return steps


def start(folder: RunFolder, state: State) -> None:
    """Fill the folder of a new run: the original, the copy to work on, the state.

    Raises:
        UsageError: the project is too large.
    """
    copy_project(Path(state.root), folder.original)
    copy_project(folder.original, folder.workspace)
    folder.save(state)


def _usage(meter: Meter) -> Usage:
    return Usage(**asdict(meter.spent))
