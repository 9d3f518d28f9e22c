"""Programs of these tests are small Warp scripts, recorded once per test in a process of their own."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.assess.completeness import Completeness, completeness
from harness.assess.local import LaunchCheck, check_launches
from harness.assess.replay import Replay, replay
from harness.execute.live import LiveSession
from harness.execute.session import Limits, Target
from harness.record.events import Event, Recording
from harness.record.plan import Plan
from harness.trace.consumption import Consumption, Consumptions

PRELUDE = "import numpy as np\nimport warp as wp\n\n"


class Program:
    """A recorded program and its session."""

    def __init__(self, session: LiveSession, recording: Recording) -> None:
        self.session = session
        self.recording = recording
        self.consumptions: list[Consumption] = [
            c for trace in Consumptions(recording).parameters() for c in trace.consumptions
        ]

    def launches(self, name: str) -> list[Event]:
        """Taped launches of one kernel."""
        return [e for e in self.recording.events if e.kind == "launch" and e.name == name]

    def local(self, name: str) -> LaunchCheck:
        """The check of the first launch of a kernel."""
        seq = self.launches(name)[0].seq
        return check_launches(self.session, self.recording, [seq], 30.0)[seq]

    def completeness(self, index: int = 0) -> Completeness:
        """What the recording says about one consumption."""
        return completeness(self.recording, self.consumptions[index])

    def replay(self, index: int = 0) -> Replay:
        """One consumption against backward on recorded contents."""
        return replay(self.session, self.recording, self.consumptions[index])

    def holes(self, index: int = 0) -> set[str]:
        """Kinds of holes in the chain of one consumption."""
        return {h.kind for h in self.completeness(index).holes}


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Writes a script from its parts, records it, and keeps its session open for the test."""
    sessions: list[LiveSession] = []

    def start(*parts: str, iterations: int = 1) -> Program:
        script = tmp_path / "program.py"
        script.write_text(PRELUDE + "".join(textwrap.dedent(part) for part in parts))
        session = LiveSession(Target(str(script), None, (), str(tmp_path)), sys.executable, Limits())
        session.__enter__()
        sessions.append(session)
        recording = session.record(Plan(iterations=iterations))
        assert recording.outcome["status"] in ("completed", "stopped"), recording.outcome["detail"]
        return Program(session, recording)

    yield start
    for session in sessions:
        session.close()
