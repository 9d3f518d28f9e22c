"""The eval runner's agent `anthropic` is this agent: its real command, against the scripted server."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from running import KEY, ROOT, ScriptedServer, project, submit

from evals.agents import AgentSpec, make
from evals.agents.base import Assignment


@pytest.mark.parametrize("arm", ["none", "own", "another"])
def test_each_arm_gets_its_skill_and_the_effort_is_counted(
    tmp_path: Path, arm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = project(tmp_path, "missing_module.py")
    place = ""
    if arm != "none":
        place = ".claude/skills/staged"
        staged = where / place
        staged.mkdir(parents=True)
        (staged / "SKILL.md").write_text("---\nname: another\n---\nLook twice.\n")
        if arm == "own":
            (staged / "harness").mkdir()
            (staged / "harness" / "run.py").touch()
    case: Any = SimpleNamespace(entry="missing_module.py", prompt="Is it right?", metric=None, argv=())
    with ScriptedServer([submit()]) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        agent = make(AgentSpec("anthropic", timeout=200))
        stored: Any = SimpleNamespace(case=case)
        work = agent.work(Assignment(stored, where, place, 0))
        (request,) = server.requests
    assert work.failure == ""
    assert work.findings is not None
    assert json.loads(work.findings)["verdict"] == "blocked"
    assert work.usage.commands == 1
    assert work.usage.input_tokens
    assert work.usage.cost is not None
    assert 0 < work.usage.cost < 1
    text = request["system"][0]["text"]
    own = (ROOT / "SKILL.md").read_text().split("\n---\n", 1)[1].strip()
    assert [own in text, "Look twice." in text] == [arm == "own", arm == "another"]
