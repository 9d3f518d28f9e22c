"""The harness's own assistant, through its command line: works on a copy, hands in findings and a patch as JSON."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

from evals.agents.base import AgentSpec, Assignment, Work
from evals.agents.process import run
from evals.corpus import files_below, is_text
from evals.patch import PatchError, apply
from evals.result import Usage
from evals.workspace import PROMPT, ROOT

_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
_GRACE = 600.0
"""Seconds beyond the agent's own limit: it measures its claims after the conversation."""


class Assistant:
    """``harness/run.py agent ENTRY``, with the user's words as the complaint."""

    mends = True

    def __init__(self, spec: AgentSpec) -> None:
        self._spec = spec

    def work(self, assignment: Assignment) -> Work:
        """Let it work on a copy, then apply its patch to the workspace."""
        workspace, case = assignment.workspace, assignment.stored.case
        (workspace / PROMPT).unlink(missing_ok=True)
        command = [sys.executable, str(ROOT / "harness" / "run.py"), "agent", case.entry, "--require-agent", "--quiet"]
        command += ["--format", "json", "--complaint", case.prompt, "--max-seconds", str(self._spec.timeout)]
        command += ["--runs", str(workspace.parent / "runs"), *self._skill(assignment), *self._spec.options]
        if case.metric is not None:
            command += ["--metric", case.metric.pattern]
        if case.argv:
            command += ["--", *case.argv]
        ended = run(command, workspace, self._spec.timeout + _GRACE, dict(os.environ))
        if not ended.stdout.lstrip().startswith("{"):
            last = (ended.stderr.strip().splitlines() or ["no output"])[-1]
            return Work(None, Usage(seconds=ended.seconds), ended.stderr, f"the agent failed: {last}")
        outcome: dict[str, Any] = json.loads(ended.stdout)
        problem = _mend(workspace, str(outcome.get("patch") or ""))
        return Work(
            json.dumps(findings_of(outcome), indent=2), usage_of(outcome, ended.seconds), json.dumps(outcome, indent=1),
            problem,
        )  # fmt: skip

    def _skill(self, assignment: Assignment) -> list[str]:
        """Its own skill is its default; another one is moved out of the workspace, which is the user's project."""
        if not assignment.skill_place:
            return ["--skill", "none"]
        staged = assignment.workspace / assignment.skill_place
        if (staged / "harness" / "run.py").exists():
            target = assignment.workspace.parent / "own-skill"
            staged.rename(target)
            return []
        target = assignment.workspace.parent / staged.name
        staged.rename(target)
        return ["--skill", str(target)]


def findings_of(outcome: dict[str, Any]) -> dict[str, Any]:
    """What the model submitted, as a ``findings.json``. That a fix is verified is the harness's claim."""
    submitted = outcome.get("submission") or {}
    findings = [
        {"kind": f.get("kind") or "not-named", "location": {"file": f.get("file", ""), "line": f.get("line", 0)}}
        for f in submitted.get("findings") or []
    ]
    verification = outcome.get("verification") or {}
    claims = {"fixed": submitted.get("fix") is not None, "verified": verification.get("verdict") == "verified"}
    return {"verdict": submitted.get("verdict", ""), "findings": findings, "claims": claims}


def usage_of(outcome: dict[str, Any], seconds: float) -> Usage:
    """Effort as the harness counted it; tokens that came from or went to a cache count as input."""
    used = outcome.get("usage") or {}
    cached = int(used.get("cache_write_tokens", 0)) + int(used.get("cache_read_tokens", 0))
    return Usage(
        seconds=seconds,
        commands=used.get("replies"),
        input_tokens=int(used.get("input_tokens", 0)) + cached,
        output_tokens=used.get("output_tokens"),
        cost=used.get("cost"),
    )


def why_not() -> str:
    """Why it cannot work here; empty if it can."""
    if importlib.util.find_spec("harness.agent") is None:
        return (
            "The agent `anthropic` is the harness's own assistant, which this version does not have. "
            "Use --agent command with an assistant's command line instead."
        )
    if not any(os.environ.get(name, "").strip() for name in _KEYS):
        return f"The agent `anthropic` needs a key: set {_KEYS[0]} in the environment."
    return ""


def _mend(workspace: Path, patch: str) -> str:
    """Apply the patch; why it does not fit, otherwise."""
    texts = {n: p.read_text(encoding="utf-8") for n, p in files_below(workspace).items() if is_text(p)}
    try:
        mended = apply(patch, texts)
    except PatchError as error:
        return f"its patch does not fit: {error}"
    for name, text in mended.items():
        if texts.get(name) != text:
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text(text, encoding="utf-8")
    for name in set(texts) - set(mended):
        (workspace / name).unlink()
    return ""
