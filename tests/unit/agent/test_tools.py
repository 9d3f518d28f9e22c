"""Each tool within its bounds, and hostile calls."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from talking import Talk, submit

from harness.agent.tools import OF_A_SKILL, OF_THE_HARNESS, ON_FILES
from harness.agent.tools.base import ToolRefused
from harness.agent.tools.diagnose import TOOL as DIAGNOSE
from harness.agent.tools.diagnose import Diagnose
from harness.agent.tools.read_skill import TOOL as READ_SKILL
from harness.agent.tools.read_skill import ReadSkill
from harness.agent.workspace import OutsideWorkspace

ROOT = Path(__file__).resolve().parents[3]


def _outside(talk: Talk) -> Path:
    secret = talk.folder / "secret.txt"
    secret.write_text("secret")
    return secret


@pytest.mark.parametrize("tool", [tool.name for tool in (*ON_FILES, *OF_A_SKILL, *OF_THE_HARNESS)])
def test_every_tool_has_a_schema_that_the_service_takes(tool: str) -> None:
    (found,) = [t for t in (*ON_FILES, *OF_A_SKILL, *OF_THE_HARNESS) if t.name == tool]
    definition = found.definition()
    assert definition["input_schema"]["type"] == "object"
    assert definition["input_schema"]["additionalProperties"] is False
    assert len(definition["description"]) > 20


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "a/../../secret.txt",
        "/etc/passwd",
        "~/x",
        "link",
        "folder-link/secret.txt",
        "",
        "a\0b",
        "x" * 5000,
    ],
)
@pytest.mark.parametrize("tool", ["read_file", "edit_file", "write_file", "run_script"])
def test_no_path_leads_out_of_the_workspace(talk: Talk, path: str, tool: str) -> None:
    secret = _outside(talk)
    (talk.bench.workspace.root / "link").symlink_to(secret)
    (talk.bench.workspace.root / "folder-link").symlink_to(talk.folder)
    given = {
        "read_file": {},
        "edit_file": {"old": "secret", "new": "x"},
        "write_file": {"text": "x", "overwrite": True},
        "run_script": {},
    }[tool]
    talk.refusal(tool, path=path, **given)
    assert secret.read_text() == "secret"
    assert sorted(os.listdir(talk.folder)) == sorted(
        ["original", "workspace", "candidate", "outputs", "temporary", "transcript.jsonl", "secret.txt"]
    )


def test_a_link_to_a_file_inside_is_followed(talk: Talk) -> None:
    (talk.bench.workspace.root / "same.py").symlink_to("train.py")
    talk.answer("edit_file", path="same.py", old="1", new="2")
    assert (talk.bench.workspace.root / "train.py").read_text() == "print(2)\n"
    assert talk.bench.edited == {"train.py"}


def test_writing_does_not_reach_through_a_hard_link(talk: Talk) -> None:
    secret = _outside(talk)
    os.link(secret, talk.bench.workspace.root / "hard.txt")
    talk.answer("write_file", path="hard.txt", text="changed", overwrite=True)
    assert secret.read_text() == "secret"


def test_a_pipe_in_the_workspace_is_no_file(talk: Talk) -> None:
    os.mkfifo(talk.bench.workspace.root / "pipe")
    assert "no regular file" in talk.refusal("read_file", path="pipe")
    talk.refusal("write_file", path="pipe", text="x", overwrite=True)


def test_huge_arguments_are_refused(talk: Talk) -> None:
    assert "characters" in talk.refusal("write_file", path="x.txt", text="x" * 3_000_000)
    talk.refusal("edit_file", path="train.py", old="1", new="y" * 300_000)
    talk.refusal("search", pattern="(" * 400)
    talk.refusal("search", pattern="a" * 501)
    talk.refusal("run_script", path="train.py", arguments=["x"] * 101)
    talk.refusal("run_script", path="train.py", arguments=["x" * 20_000])
    talk.refusal("list_files", pattern=3)
    talk.refusal("read_file", path="train.py", lines=10**12)
    assert max(len(line) for line in (talk.folder / "transcript.jsonl").read_text().splitlines()) < 30_000


def test_input_that_is_no_object_is_answered(talk: Talk) -> None:
    for given in ("text", None, [1], 3):
        assert talk.toolbox.call("read_file", given).is_error


def test_text_that_cannot_be_written_is_refused(talk: Talk) -> None:
    talk.refusal("write_file", path="x.txt", text="\ud800")


def test_a_pattern_that_never_ends_is_ended(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.agent.toolbox._GRACE_SECONDS", 0.0)
    talk.with_settings(tool_seconds=1.0)
    talk.bench.tool_seconds = 1.0
    (talk.bench.workspace.root / "a.txt").write_text("a" * 5000 + "b")
    assert "no end" in talk.refusal("search", pattern="(a|a)*$")


def test_a_long_result_is_cut_and_can_be_read_in_full(talk: Talk) -> None:
    (talk.bench.workspace.root / "many.py").write_text("for i in range(9000):\n    print('line', i)\n")
    text = talk.answer("run_script", path="many.py")
    assert len(text) < talk.settings.tool_characters + 300
    assert "characters left out" in text
    last = talk.answer("read_file", path="output:1", first_line=1, lines=2000)
    assert "line 100" in last
    talk.refusal("read_file", path="output:7")
    talk.refusal("read_file", path="output:../1")


def test_an_edit_has_to_be_unambiguous(talk: Talk) -> None:
    path = talk.bench.workspace.root / "two.py"
    path.write_bytes(b"a = 1\r\nb = 1\r\n")
    assert "2 times, at lines [1, 2]" in talk.refusal("edit_file", path="two.py", old="= 1", new="= 2")
    assert "not in" in talk.refusal("edit_file", path="two.py", old="= 3", new="= 2")
    talk.answer("edit_file", path="two.py", old="a = 1\nb", new="a = 2\nb")
    assert path.read_bytes() == b"a = 2\r\nb = 1\r\n"
    talk.answer("edit_file", path="two.py", old=" = ", new="=", everywhere=True)
    assert path.read_bytes() == b"a=2\r\nb=1\r\n"


def test_a_file_is_only_replaced_when_asked_to(talk: Talk) -> None:
    assert "exists" in talk.refusal("write_file", path="train.py", text="x")
    talk.answer("write_file", path="probes/new.py", text="print(2)\n")
    assert json.loads(talk.answer("run_script", path="probes/new.py"))["stdout"] == "2\n"


def test_search_and_list(talk: Talk) -> None:
    assert json.loads(talk.answer("search", pattern=r"print\(\d"))["matches"][0]["line"] == 1
    assert "train.py" in talk.answer("list_files", pattern="*.py")
    talk.refusal("list_files", pattern="*.cu")
    assert "no regular expression" in talk.refusal("search", pattern="(")


def test_findings_must_name_lines_and_changed_files(talk: Talk) -> None:
    finding = {"kind": "array-overwrite", "file": "train.py", "line": 9, "explanation": "x"}
    assert "no line 9" in talk.refusal("submit_findings", verdict="wrong", summary="x", findings=[finding])
    fix = {"files": ["train.py"], "explanation": "x"}
    assert "not changed" in talk.refusal("submit_findings", verdict="wrong", summary="x", fix=fix)
    fix = {"files": ["../secret.txt"], "explanation": "x"}
    talk.refusal("submit_findings", verdict="wrong", summary="x", fix=fix)
    talk.refusal("submit_findings", verdict="fine", summary="x")
    talk.refusal("submit_findings", verdict="wrong", summary="x", findings=[{**finding, "kind": "bad-luck", "line": 1}])
    assert talk.bench.submission is None
    talk.answer("submit_findings", **submit()["tools"][0]["input"])


def test_only_the_readable_part_of_a_skill_is_read(talk: Talk) -> None:
    talk.bench.skill = ROOT
    assert "name: warp-debug-gradients" in READ_SKILL.run(talk.bench, ReadSkill(path="SKILL.md"))
    for path in ("references/../harness/run.py", "tests/README.md", "../x", "/etc/passwd", ".git/config"):
        with pytest.raises((ToolRefused, OutsideWorkspace)):
            READ_SKILL.run(talk.bench, ReadSkill(path=path))


@pytest.mark.parametrize(
    "options",
    [
        ["--output", "x"],
        ["--format", "html"],
        ["--python", "/bin/sh"],
        ["--record", "../x"],
        ["--from", "/etc/passwd"],
        ["--no-such-option"],
        ["--help"],
        ["--", "x"],
        ["other.py"],
        ["-m", "os"],
    ],
)
def test_options_that_are_not_the_models_to_choose_are_refused(talk: Talk, options: list[str]) -> None:
    with pytest.raises((ToolRefused, OutsideWorkspace)):
        DIAGNOSE.run(talk.bench, Diagnose(options=options))
