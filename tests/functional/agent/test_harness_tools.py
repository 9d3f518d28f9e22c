"""The tools that are commands of this project, called by a model, and the pages of the transcript they leave."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from running import ROOT, call, project, run_agent, submit

PROGRAM = "missing_module.py"


def test_the_projects_commands_answer_as_tools(tmp_path: Path) -> None:
    where = project(tmp_path, PROGRAM)
    calls = [
        call("render"),
        call("render", template="fd_check"),
        call("render", template="fd_check", variables={"script": PROGRAM, "parameters": ["capacity"]}, output="a/c.py"),
        call("render", template="fd_check", variables={"nonsense": 1}, output="b.py"),
        call("render", template="fd_check", variables={"script": PROGRAM}, output="../b.py"),
        call("explain", kind="wrong-seed"),
        call("explain", kind="bad-luck"),
        call("verify"),
        call("verify", files=["/etc/passwd"]),
        call("diagnose", program="nowhere.py"),
        call("diagnose", options=["--iterations", "none"]),
        call("diagnose", options=["--iterations", "1"]),
        call("read_file", path="a/c.py", lines=3),
    ]
    ran = run_agent(where, [{"tools": calls}, submit()], PROGRAM)
    assert not ran.problems
    assert ran.code == 4, ran.stderr
    blocks = ran.requests[1]["messages"][-1]["content"]
    is_error = [bool(block.get("is_error")) for block in blocks]
    assert is_error == [False, False, False, True, True, False, True, True, True, True, True, False, False], blocks
    texts = ran.results(1)
    assert "fd_check" in texts[0]
    assert "parameters" in texts[1]
    assert json.loads(texts[2])["written"] == "a/c.py"
    assert "# wrong-seed" in texts[5]
    assert "nothing to verify" in texts[7]
    assert "--iterations" in texts[10]
    assert json.loads(texts[11])["failure"]["reason"]
    assert "lines 1 to 3" in texts[12]
    assert not (tmp_path / "b.py").exists()
    for form, words in (("text", "exit code          4"), ("markdown", "| exit code | 4 |"), ("html", "<summary>")):
        command = [sys.executable, str(ROOT / "harness" / "run.py"), "transcript", str(ran.folder), "--format", form]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert words in done.stdout
    target = tmp_path / "page.html"
    command = [*command, "--output", str(target)]
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    assert target.read_text().startswith("<!doctype html>")
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (refused.returncode, "--force" in refused.stderr) == (2, True)
