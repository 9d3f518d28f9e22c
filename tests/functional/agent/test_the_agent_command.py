"""The command around a run: no key, limits, Ctrl-C, resume, apply, and what a plain diagnosis does not import."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import KEY, ROOT, ScriptedServer, call, environment, project, run_agent, submit

COMMAND = [sys.executable, str(ROOT / "harness" / "run.py")]
LOOK = {"text": "I look.", "tools": [call("list_files")]}
PROGRAM = "missing_module.py"  # ends at once, so that measuring it is quick


def _run(where: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    given = environment(**variables)
    given.pop("ANTHROPIC_API_KEY")
    return subprocess.run(
        [*COMMAND, *arguments], cwd=where, env=given, capture_output=True, text=True, timeout=240, check=False
    )


def test_without_a_key_the_plain_diagnosis_runs_and_says_so_in_one_line(tmp_path: Path) -> None:
    where = project(tmp_path, PROGRAM)
    done = _run(where, "agent", PROGRAM, "--format", "json")
    assert done.returncode == 4
    assert json.loads(done.stdout)["verdict"] == "blocked"
    assert done.stderr.strip().count("\n") == 0
    assert "ANTHROPIC_API_KEY" in done.stderr


def test_without_a_key_nothing_runs_if_the_agent_is_required(tmp_path: Path) -> None:
    done = _run(project(tmp_path, PROGRAM), "agent", PROGRAM, "--require-agent")
    assert (done.returncode, done.stdout) == (2, "")
    assert "ANTHROPIC_API_KEY" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name one program"),
        (["nowhere.py"], "There is no file"),
        (["train.py", "--skill", "nowhere"], "SKILL.md"),
        (["train.py", "--model", "unheard-of"], "--price"),
        (["train.py", "--root", "below"], "--root"),
        (["--resume", "."], "nothing to resume"),
        (["train.py", "--resume", "."], "takes none itself"),
    ],
)
def test_a_mistake_on_the_command_line_is_told(tmp_path: Path, arguments: list[str], words: str) -> None:
    where = project(tmp_path)
    (where / "train.py").write_text("")
    (where / "below").mkdir()
    ran = run_agent(where, [], *arguments, runs=tmp_path / "runs")
    assert ran.code == 2
    assert words in ran.stderr
    assert not ran.requests


def test_a_plain_diagnosis_never_imports_the_sdk(tmp_path: Path) -> None:
    where = project(tmp_path, PROGRAM)
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "from harness.command.main import main\n"
        "code = main(sys.argv[1:])\n"
        "loaded = [m for m in sys.modules if m.startswith(('anthropic', 'httpx2', 'harness.agent'))]\n"
        "print(code, loaded, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), PROGRAM], cwd=where, env=environment(), capture_output=True, text=True,
        timeout=240, check=False,
    )  # fmt: skip
    assert done.stderr.strip().endswith("4 []"), done.stderr


@pytest.mark.parametrize("words", [["--help"], ["agent", "--help"], ["transcript", "--help"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "from harness.command.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'anthropic', 'pydantic', 'numpy', 'warp', 'rich', 'jinja2'} & set(sys.modules)\n"
        "print(heavy, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), *words], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.strip() == "set()"
    assert "exit codes" in done.stdout or words[0] == "transcript"


def test_a_limit_ends_the_run_and_resume_goes_on_where_it_was(tmp_path: Path) -> None:
    where = project(tmp_path, PROGRAM)
    edit = {"tools": [call("write_file", path="note.txt", text="kept")]}
    first = run_agent(where, [LOOK, edit, LOOK, LOOK], PROGRAM, "--max-replies", "3")
    assert first.code == 6
    assert first.outcome.ended == "limit"
    assert first.outcome.report is not None, "what there is, is measured"
    assert "--resume" in first.outcome.next_steps[0]

    second = run_agent(
        where, [{"tools": [call("read_file", path="note.txt")]}, submit()], "--resume", str(first.folder),
        "--max-replies", "9", "--quiet", runs=first.runs,
    )  # fmt: skip
    assert not second.problems
    assert second.code == 4
    assert len(second.requests[0]["messages"]) > len(first.requests[-1]["messages"])
    assert "kept" in second.results()[0]
    assert second.outcome.usage.replies == 5
    events = [json.loads(line)["type"] for line in (first.folder / "transcript.jsonl").read_text().splitlines()]
    assert events.count("run_started") == 2
    assert events[-1] == "run_ended"


def test_ctrl_c_keeps_the_state_and_leaves_no_process(tmp_path: Path) -> None:
    where = project(tmp_path, PROGRAM)
    (where / "sleep.py").write_text("import time\nprint('here', flush=True)\ntime.sleep(600.125)\n")
    runs = tmp_path / "runs"
    with ScriptedServer([{"tools": [call("run_script", path="sleep.py")]}]) as server:
        command = [*COMMAND, "agent", PROGRAM, "--base-url", server.url, "--runs", str(runs), "--format", "json"]
        process = subprocess.Popen(
            command, cwd=where, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while _sleepers() == 0:
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 6
    assert json.loads(stdout)["ended"] == "interrupted"
    assert _sleepers() == 0
    (folder,) = runs.iterdir()
    again = run_agent(where, [submit()], "--resume", str(folder), runs=runs)
    assert again.code == 4
    assert "may or may not have taken effect" in again.requests[0]["messages"][-1]["content"][0]["content"]


def _sleepers() -> int:
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += path.read_bytes().rstrip(b"\0").endswith(b"./sleep.py")
        except OSError:
            continue
    return found


def test_a_wrong_key_ends_the_run_without_showing_it(tmp_path: Path) -> None:
    where = project(tmp_path, PROGRAM)
    denied = {"status": 401, "error": "authentication_error", "message": f"invalid x-api-key {KEY}"}
    ran = run_agent(where, [denied], PROGRAM)
    assert ran.code == 6
    assert ran.outcome.ended == "service"
    assert KEY not in ran.stdout + ran.stderr + (ran.folder / "transcript.jsonl").read_text()


@pytest.mark.parametrize("skill", ["none", "another"])
def test_other_skills_come_with_their_own_text_and_without_our_tools(tmp_path: Path, skill: str) -> None:
    where = project(tmp_path, PROGRAM)
    folder = tmp_path / "another"
    (folder / "references").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: another\ndescription: x\n---\nAlways look twice.\n")
    (folder / "references" / "more.md").write_text("More of it.")
    replies = [submit()]
    if skill == "another":
        replies.insert(0, {"tools": [call("read_skill", path="references/more.md")]})
    ran = run_agent(where, replies, PROGRAM, "--skill", skill if skill == "none" else str(folder))
    assert ran.code == 4
    names = {tool["name"] for tool in ran.requests[0]["tools"]}
    assert not names & {"diagnose", "verify", "explain", "render"}
    assert ("read_skill" in names) == (skill == "another")
    assert ("Always look twice." in ran.requests[0]["system"][0]["text"]) == (skill == "another")
    if skill == "another":
        assert ran.results()[0] == "More of it."


def test_the_prompt_is_the_skill_as_installed_and_the_effort_is_sent(tmp_path: Path) -> None:
    ran = run_agent(project(tmp_path, PROGRAM), [submit()], PROGRAM, WARP_GRADIENT_AGENT_EFFORT="low")
    body = (ROOT / "SKILL.md").read_text().split("\n---\n", 1)[1].strip()
    system = ran.requests[0]["system"]
    assert body in system[0]["text"]
    assert system[0]["cache_control"] == {"type": "ephemeral"}
    assert ran.requests[0]["output_config"] == {"effort": "low"}
