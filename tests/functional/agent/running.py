"""Runs the real command against the scripted server, in a subprocess, as a user would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from examples.agent_demo.scripted_server import ScriptedServer
from harness.agent.outcome import Outcome

pytest.importorskip("anthropic", reason="the SDK of the agent is not installed")

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = Path(__file__).parent / "programs"
DECISIONS = Path(__file__).parent / "decisions"
KEY = "sk-ant-test-0123456789abcdef"


@dataclass(frozen=True)
class Ran:
    """What the command did, and what the server saw."""

    code: int
    stdout: str
    stderr: str
    requests: list[dict[str, Any]]
    problems: list[str]
    runs: Path

    @property
    def outcome(self) -> Outcome:
        """The outcome, printed with ``--format json``."""
        return Outcome.model_validate_json(self.stdout)

    @property
    def folder(self) -> Path:
        """The folder of the latest run."""
        return max(self.runs.iterdir(), key=lambda path: path.stat().st_mtime)

    def results(self, number: int = -1) -> list[str]:
        """What the tools answered, in request `number`."""
        content = self.requests[number]["messages"][-1]["content"]
        return [str(block.get("content", block.get("text"))) for block in content]


def call(name: str, **given: Any) -> dict[str, Any]:
    """A tool call in a script."""
    return {"name": name, "input": given}


def submit(verdict: str = "blocked", **more: Any) -> dict[str, Any]:
    """The reply that ends a run."""
    return {"tools": [call("submit_findings", verdict=verdict, summary="as measured", **more)]}


def environment(**more: str) -> dict[str, str]:
    """The environment of the command: with a key, without what this machine may have set for the agent."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "WARP_GRADIENT_"))}
    return {**kept, "ANTHROPIC_API_KEY": KEY, **more}


def project(folder: Path, *names: str) -> Path:
    """A project of the user's with these programs."""
    made = folder / "project"
    made.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(PROGRAMS / name, made)
    return made


def run_agent(
    where: Path,
    replies: Sequence[dict[str, Any]],
    *options: str,
    runs: Path | None = None,
    timeout: float = 300,
    **variables: str,
) -> Ran:
    """``agent OPTIONS`` in a folder, against a server that follows the script."""
    runs = runs or where.parent / "runs"
    with ScriptedServer(replies) as server:
        command = [sys.executable, str(ROOT / "harness" / "run.py"), "agent", *options]
        given = ["--base-url", server.url, "--format", "json"]
        if "--resume" not in options:
            given += ["--runs", str(runs)]
        done = subprocess.run(
            [*command, *given],
            cwd=where,
            env=environment(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr, server.requests, server.problems, runs)


def decisions(name: str) -> dict[str, Any]:
    """A recorded sequence."""
    data: dict[str, Any] = json.loads((DECISIONS / f"{name}.json").read_text(encoding="utf-8"))
    return data
