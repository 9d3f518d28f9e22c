"""Agents: what they are given, and what is made of what they hand in."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from small_case import FAULTY, PROGRAM, MakeCase

from evals.agents import AgentSpec, anthropic, make
from evals.agents.base import Assignment
from evals.patch import difference
from evals.workspace import stage
from harness.options import UsageError


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (AgentSpec("nobody"), "There is no agent `nobody`"),
        (AgentSpec("command"), "needs --command"),
        (AgentSpec("command", command="no-such-assistant {prompt_file}"), "is not a command on this machine"),
        (AgentSpec("command", command="echo {answer}"), "may contain {prompt_file}"),
    ],
)
def test_an_agent_that_cannot_work_is_refused_with_what_to_do(spec: AgentSpec, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make(spec)


def test_the_own_assistant_without_a_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match=r"does not have|needs a key"):
        make(AgentSpec("anthropic"))


def test_a_command_gets_prompt_skill_and_seed_and_its_effort_is_kept(make_case: MakeCase, tmp_path: Path) -> None:
    stored = make_case()
    script = tmp_path / "assistant.py"
    script.write_text(
        "import json, pathlib, sys\nprompt, skill, seed = sys.argv[1:]\n"
        "assert 'falls too fast' in pathlib.Path(prompt).read_text()\n"
        "assert (pathlib.Path(skill) / 'SKILL.md').exists() and seed == '5'\n"
        "json.dump({'verdict': 'wrong', 'usage': {'commands': 3, 'input_tokens': 70}}, open('findings.json', 'w'))\n"
        "print('said'); sys.exit(3)\n"
    )
    (tmp_path / "w").mkdir()
    place = stage(stored, tmp_path / "w", "skill")
    agent = make(AgentSpec("command", command=f"{sys.executable} {script} {{prompt_file}} {{skill}} {{seed}}"))
    work = agent.work(Assignment(stored, tmp_path / "w", place, 5))
    assert work.failure == "the command ended with 3"
    assert (work.usage.commands, work.usage.input_tokens, work.usage.output_tokens) == (3, 70, None)
    assert work.transcript.startswith("said")


def test_the_own_assistants_outcome_becomes_findings_and_edits(
    make_case: MakeCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = {
        "submission": {
            "verdict": "wrong", "fix": {"files": ["program.py"], "explanation": "x"},
            "findings": [
                {"kind": None, "file": "program.py", "line": 3}, {"kind": "wrong-seed", "file": "a.py", "line": 4},
            ],
        },
        "patch": difference({"program.py": FAULTY}, {"program.py": PROGRAM}),
        "verification": {"verdict": "undecided"},
        "usage": {"replies": 4, "input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 90, "cost": 0.5},
    }  # fmt: skip
    (tmp_path / "outcome.json").write_text(json.dumps(outcome))
    show = tmp_path / "run.py"
    show.write_text(f"import pathlib; print(pathlib.Path({str(tmp_path / 'outcome.json')!r}).read_text())\n")
    (tmp_path / "harness").mkdir()
    show.rename(tmp_path / "harness" / "run.py")
    monkeypatch.setattr(anthropic, "ROOT", tmp_path)
    stored = make_case()
    stage(stored, tmp_path / "w", "none")
    work = anthropic.Assistant(AgentSpec("anthropic")).work(Assignment(stored, tmp_path / "w", "", 0))
    assert (tmp_path / "w" / "program.py").read_text() == PROGRAM
    assert work.findings is not None
    handed_in = json.loads(work.findings)
    assert handed_in["claims"] == {"fixed": True, "verified": False}
    assert [f["kind"] for f in handed_in["findings"]] == ["not-named", "wrong-seed"]
    assert (work.usage.commands, work.usage.input_tokens, work.usage.cost) == (4, 100, 0.5)
