"""The folder of a run: copies, transcript, state. What is needed to resume is on disk after every step."""

from __future__ import annotations

import base64
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.agent.budget import Spent
from harness.agent.history import Message
from harness.agent.patch import Change
from harness.agent.program import Program
from harness.agent.submission import Submission
from harness.agent.workspace import replace_file
from harness.options import UsageError
from harness.schema import Report

_FORMAT_VERSION = 1


@dataclass
class State:
    """All that a run has to remember."""

    program: Program
    root: str
    """The user's own folder."""
    complaint: str
    skill: str | None
    """As given with ``--skill``."""
    messages: list[Message] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    edited: list[str] = field(default_factory=list)
    submission: Submission | None = None
    applied: bool = False


@dataclass(frozen=True)
class RunFolder:
    """Where everything of a run is."""

    root: Path

    @property
    def original(self) -> Path:
        """The project as the user left it."""
        return self.root / "original"

    @property
    def workspace(self) -> Path:
        """The copy that is worked on."""
        return self.root / "workspace"

    @property
    def candidate(self) -> Path:
        """The original with the fix alone."""
        return self.root / "candidate"

    @property
    def kernels(self) -> Path:
        """For what they compile."""
        return self.root / "kernels"

    @property
    def outputs(self) -> Path:
        """Tool results that were too long to send."""
        return self.root / "outputs"

    @property
    def reports(self) -> Path:
        """Diagnoses of the program at each stage."""
        return self.root / "reports"

    @property
    def backup(self) -> Path:
        """The user's files before the patch was applied."""
        return self.root / "backup"

    @property
    def transcript(self) -> Path:
        """Events, one a line."""
        return self.root / "transcript.jsonl"

    @property
    def outcome(self) -> Path:
        """The result, as ``--format json`` prints it."""
        return self.root / "outcome.json"

    @property
    def patch(self) -> Path:
        """The fix."""
        return self.root / "fix.patch"

    def save(self, state: State) -> None:
        """Replace the state on disk in one step."""
        data = {
            "format_version": _FORMAT_VERSION,
            "program": state.program.as_dict(),
            "root": state.root,
            "complaint": state.complaint,
            "skill": state.skill,
            "messages": state.messages,
            "spent": state.spent.as_dict(),
            "edited": sorted(state.edited),
            "submission": state.submission and state.submission.model_dump(mode="json"),
            "applied": state.applied,
        }
        replace_file(self.root / "state.json", json.dumps(data).encode())

    def load(self) -> State:
        """The state on disk.

        Raises:
            UsageError: the folder is not that of a run.
        """
        try:
            data = json.loads((self.root / "state.json").read_text(encoding="utf-8"))
            if data.pop("format_version") != _FORMAT_VERSION:
                raise UsageError(f"`{self.root}` was made by another version of this tool.")
            submission = data.pop("submission")
            return State(
                **{
                    **data,
                    "program": Program.from_dict(data["program"]),
                    "spent": Spent(**data["spent"]),
                    "submission": Submission.model_validate(submission) if submission else None,
                }
            )
        except (OSError, ValueError, KeyError, TypeError):
            raise UsageError(f"`{self.root}` is not the folder of a run, so there is nothing to resume.") from None

    def keep_report(self, report: Report) -> None:
        """Keep a diagnosis of the program."""
        number = 1 + sum(1 for _ in self.reports.iterdir())
        (self.reports / f"{number}.json").write_text(report.model_dump_json(), encoding="utf-8")

    def kept_reports(self) -> list[Report]:
        """All of them, oldest first."""
        files = sorted(self.reports.glob("*.json"), key=lambda path: int(path.stem))
        return [Report.model_validate_json(path.read_text(encoding="utf-8")) for path in files]

    def keep_verified(self, made: Sequence[Change]) -> None:
        """Keep the changes that were verified, out of reach of every program that runs."""
        data = [
            {name: None if part is None else base64.b64encode(part).decode() for name, part in parts.items()}
            for parts in ({"before": change.before, "after": change.after} for change in made)
        ]
        kept = [{"path": change.path, **parts} for change, parts in zip(made, data, strict=True)]
        replace_file(self.root / "verified.json", json.dumps(kept).encode())

    def verified(self) -> list[Change]:
        """Them, or nothing."""
        path = self.root / "verified.json"
        if not path.is_file():
            return []
        return [
            Change(entry["path"], *(entry[n] and base64.b64decode(entry[n]) for n in ("before", "after")))
            for entry in json.loads(path.read_text(encoding="utf-8"))
        ]

    def make_folders(self) -> None:
        """The folders that a run fills."""
        for folder in (self.workspace, self.candidate, self.kernels, self.outputs, self.reports):
            folder.mkdir(exist_ok=True)


def new(environment: Mapping[str, str], label: str, parent: str | None) -> RunFolder:
    """A fresh folder that only the user can read, below `parent` or the user's state folder.

    Raises:
        UsageError: it cannot be made.
    """
    base = Path(parent).expanduser() if parent else _state_home(environment) / "warp-debug-gradients" / "runs"
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in label)[:40]
    try:
        base.mkdir(parents=True, exist_ok=True)
        root = tempfile.mkdtemp(prefix=f"{time.strftime('%Y%m%d-%H%M%S')}-{safe}-", dir=base)
    except OSError as error:
        raise UsageError(f"`{base}` cannot be written ({error.strerror}); name another folder with --runs.") from None
    return RunFolder(Path(root).resolve())


def _state_home(environment: Mapping[str, str]) -> Path:
    given: Any = environment.get("XDG_STATE_HOME")
    return Path(given) if given else Path(os.path.expanduser("~"), ".local", "state")
