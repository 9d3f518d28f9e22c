"""The plain harness: its report is what it hands in; it mends nothing."""

from __future__ import annotations

import os
import sys

from evals.agents.base import AgentSpec, Assignment, Work
from evals.agents.process import run
from evals.result import Usage
from evals.workspace import ROOT


class Engine:
    """``harness/run.py ENTRY --format json``."""

    mends = False

    def __init__(self, spec: AgentSpec) -> None:
        self._spec = spec

    def work(self, assignment: Assignment) -> Work:
        """Judge the program as it stands."""
        case = assignment.stored.case
        command = [sys.executable, str(ROOT / "harness" / "run.py"), case.entry, "--format", "json", "--quiet"]
        command += [*self._spec.options, "--jobs", "1"]
        if case.argv:
            command += ["--", *case.argv]
        # The interpreter's own folder first: the script's folder holds the user's program and nothing of ours.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        ended = run(command, assignment.workspace, self._spec.timeout, environment)
        usage = Usage(seconds=ended.seconds, commands=1)
        failure = ""
        if ended.code is None:
            failure = f"the harness was ended after {self._spec.timeout:.0f} s"
        elif ended.code == 2 or not ended.stdout.strip():
            failure = f"the harness failed: {(ended.stderr.strip().splitlines() or ['no output'])[-1]}"
        return Work(ended.stdout or None, usage, ended.stderr, failure)
