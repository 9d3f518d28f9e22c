"""Ctrl-C, a request to end, and a killed parent: every process ends, and nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from driving import COMMAND, HEADER

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")

SLOW = "import time\n" + HEADER.replace("    tape.backward(loss)", "    time.sleep(2)\n    tape.backward(loss)")
STAGES = {
    # stage: the program, and how many processes there are then: worker and child, and two forks that evaluate
    "recording": ("import time\ntime.sleep(1000)\n", 2),
    "evaluating": (SLOW + "iterate()\n", 4),
}
SECONDS = 20.0
"""What a busy machine may need to end everything; an idle one takes well under a second."""


def processes(folder: Path) -> list[str]:
    """Command lines of live processes that name the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if str(folder) in words and state != "Z":
            found.append(words)
    return found


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


class Started:
    """The command in a process group of its own, as a shell starts it, with its own temporary folder."""

    def __init__(self, folder: Path, stage: str, *options: str) -> None:
        program, count = STAGES[stage]
        (folder / "program.py").write_text(program)
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.process = subprocess.Popen(
            [*COMMAND, "program.py", "--iterations", "1", "--jobs", "2", *options],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(self.temporary)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert wait_for(lambda: len(processes(self.temporary)) >= count, 120.0), processes(self.temporary)

    def nothing_is_left(self) -> bool:
        """Neither a process nor a file."""
        return not processes(self.temporary) and not list(self.temporary.iterdir())


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_ends_everything(stage: str, tmp_path: Path) -> None:
    started = Started(tmp_path, stage)
    os.killpg(started.process.pid, signal.SIGINT)
    stdout, stderr = started.process.communicate(timeout=SECONDS)
    assert started.process.returncode == 2
    assert stdout == ""
    assert stderr == "Interrupted; every process of the program was ended.\n"
    assert started.nothing_is_left()


@pytest.mark.parametrize("options", [(), ("--no-fork",)], ids=["forks", "fresh processes"])
def test_a_request_to_end_is_like_ctrl_c(options: tuple[str, ...], tmp_path: Path) -> None:
    started = Started(tmp_path, "recording", *options)
    started.process.terminate()
    _, stderr = started.process.communicate(timeout=SECONDS)
    assert started.process.returncode == 2
    assert stderr.startswith("Interrupted")
    assert started.nothing_is_left()


@pytest.mark.parametrize("stage", STAGES)
def test_workers_end_when_their_parent_is_killed(stage: str, tmp_path: Path) -> None:
    started = Started(tmp_path, stage)
    started.process.kill()
    assert wait_for(started.nothing_is_left, SECONDS), processes(started.temporary)


def test_fresh_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    started = Started(tmp_path, "recording", "--no-fork")
    started.process.kill()
    assert wait_for(started.nothing_is_left, SECONDS), processes(started.temporary)
