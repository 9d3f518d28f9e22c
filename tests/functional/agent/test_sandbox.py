"""Hostile scripts: nothing outside changes, the run ends, and what happened is told."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from harness.agent.sandbox import Bounds, CannotConfine, Finished, Sandbox

# Its own in every process: other tests that run at the same time have theirs in their environment.
KEY = f"sk-ant-test-{uuid.uuid4().hex}"
PROXY = f"http://proxy-{uuid.uuid4().hex}"


class Room:
    """A sandbox, and around it what must not change."""

    def __init__(self, folder: Path, mode: Any) -> None:
        self.outside = folder / "outside"
        self.workspace = folder / "run" / "workspace"
        temporary = folder / "temporary"
        cache = folder / "users-cache"
        for made in (self.outside / "sub", self.workspace, temporary, cache):
            made.mkdir(parents=True)
        (self.outside / "keep.txt").write_text("keep")
        (self.outside / "sub" / "too.txt").write_text("too")
        (folder / "run" / "state.json").write_text("{}")
        (cache / "kernel.o").write_text("compiled")
        self.folder = folder
        environment = {**os.environ, "ANTHROPIC_API_KEY": KEY, "HTTPS_PROXY": PROXY, "MY_TOKEN": KEY + "x"}
        environment |= {"WARP_CACHE_PATH": str(cache), "OUTSIDE": str(self.outside), "HOME": str(self.outside)}
        self.sandbox = Sandbox(
            [self.workspace, temporary], temporary, folder / "kernels", environment=environment, mode=mode
        )

    def run(self, script: str, **bounds: Any) -> Finished:
        """Run a script in the workspace, and fail if anything outside has changed by it."""
        (self.workspace / "script.py").write_text("import os, sys, time\noutside = os.environ['OUTSIDE']\n" + script)
        before = self._state()
        started = time.monotonic()
        finished = self.sandbox.run(
            [sys.executable, "script.py"], self.workspace, Bounds(**{"seconds": 20.0, **bounds})
        )
        assert time.monotonic() - started < 60
        assert self._state() == before
        assert _left_over(str(self.workspace)) == []
        return finished

    def _state(self) -> dict[str, str]:
        found = {}
        for path in sorted(self.folder.rglob("*")):
            if not path.is_relative_to(self.workspace) and not path.is_relative_to(self.folder / "temporary"):
                if path.is_relative_to(self.folder / "kernels"):
                    continue
                digest = hashlib.sha1(path.read_bytes()).hexdigest() if path.is_file() else ""
                found[str(path)] = f"{digest} {path.stat().st_mode} {path.stat().st_mtime_ns}"
        return found


def _left_over(folder: str) -> list[str]:
    left = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if os.readlink(path) == folder:
                left.append(str(path))
        except OSError:
            continue
    return left


@pytest.fixture(params=["namespaces", "landlock"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Room:
    """A room, in each way of confining that this system has."""
    made = Room(tmp_path, request.param)
    try:
        made.run("pass")
    except CannotConfine:
        pytest.skip(f"this system does not permit {request.param}")
    return made


@pytest.mark.parametrize(
    "attempt",
    [
        "os.remove(outside + '/keep.txt')",
        "import shutil; shutil.rmtree(outside)",
        "open(outside + '/keep.txt', 'w').write('x')",
        "open(outside + '/new.txt', 'w').write('x')",
        "os.rename(outside + '/keep.txt', 'mine.txt')",
        "os.link(outside + '/keep.txt', 'mine.txt'); open('mine.txt', 'w').write('x')",
        "os.symlink(outside, 'way'); open('way/keep.txt', 'w').write('x')",
        "os.truncate(outside + '/keep.txt', 0)",
        "os.mkdir(outside + '/folder')",
        "open('../state.json', 'w').write('x')",
        "os.chdir('..'); open('transcript.jsonl', 'w').write('x')",
        "os.chroot(outside); open('/keep.txt', 'w').write('x')",
        "import subprocess; sys.exit(subprocess.call(['sh', '-c', 'echo x > $OUTSIDE/keep.txt']))",
        "import ctypes; fd = ctypes.CDLL(None).open((outside + '/keep.txt').encode(), 1025); sys.exit(fd < 0)",
    ],
)
def test_nothing_outside_can_be_changed(room: Room, attempt: str) -> None:
    assert room.run(attempt).exit_code != 0


def test_the_workspace_can_be_changed(room: Room) -> None:
    assert room.run("open('a.txt', 'w').write('x'); os.remove('a.txt'); print(os.listdir('.'))").exit_code == 0


def test_what_is_compiled_does_not_reach_the_users_cache(room: Room) -> None:
    finished = room.run(
        "cache = os.environ['WARP_CACHE_PATH']\n"
        "open(cache + '/kernel.o', 'w').write('poisoned')\nopen(cache + '/new.o', 'w').write('x')"
    )
    assert finished.exit_code == 0, finished.stderr
    again = room.run("print(open(os.environ['WARP_CACHE_PATH'] + '/new.o').read())")
    assert again.stdout == "x\n", "but later commands of the same run find it"


def test_no_key_and_no_proxy_is_passed_on_or_can_be_found(room: Room) -> None:
    finished = room.run(
        "import glob\nprint(sorted(os.environ))\n"
        "for place in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline'):\n"
        "    try: print(open(place, 'rb').read())\n"
        "    except OSError: pass\n"
    )
    assert finished.exit_code == 0
    assert KEY not in finished.stdout
    assert PROXY not in finished.stdout


IGNORES_SIGNALS = """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: time.sleep(1)
"""
MANY_FILES = """
number = 0
while True:
    number += 1
    open(f"f{number}", "wb").write(bytes(SIZE)); time.sleep(PAUSE)
"""
STARTS = "import subprocess\nwhile True: subprocess.Popen([sys.executable, sys.argv[0]])"


@pytest.mark.parametrize(
    ("script", "bounds", "words"),
    [
        ("time.sleep(600)", {"seconds": 0.7}, "the limit"),
        ("while True: pass", {"seconds": 0.7}, "the limit"),
        (IGNORES_SIGNALS, {"seconds": 0.7}, "the limit"),
        ("while True: os.fork()", {"processes": 30}, "processes"),
        ("while True:\n    if os.fork() == 0: os.setsid()", {"processes": 30}, "processes"),
        (STARTS, {"processes": 30}, "processes"),
        ("while True: print('x' * 100000)", {"output_mib": 2}, "printed"),
        ("while True: os.write(2, b'x' * 100000)", {"output_mib": 2}, "printed"),
        ("kept = []\nwhile True: kept.append(bytearray(10**7)); time.sleep(0.01)", {"memory_mib": 200}, "memory"),
        ("SIZE, PAUSE = 10**6, 0.001" + MANY_FILES, {"disk_mib": 60}, "MiB of files"),
        ("SIZE, PAUSE = 0, 0" + MANY_FILES, {"files": 500}, "files"),
    ],
    ids=["sleep", "spin", "signals", "forks", "forks away", "starts", "stdout", "stderr", "memory", "disk", "files"],
)  # fmt: skip
def test_a_script_without_bounds_is_given_some(room: Room, script: str, bounds: dict[str, Any], words: str) -> None:
    finished = room.run(script, **bounds)
    assert finished.ended_by is not None
    assert words in finished.ended_by
    assert finished.exit_code is None


def test_one_file_cannot_fill_the_disk(room: Room) -> None:
    finished = room.run("f = open('big', 'wb')\nwhile True: f.write(bytes(10**7))", disk_mib=50)
    assert finished.ended_by or finished.exit_code != 0
    assert (room.workspace / "big").stat().st_size <= 60 * 2**20


def test_what_a_script_leaves_running_ends_with_it(room: Room) -> None:
    script = "if os.fork() == 0:\n    os.close(1); os.close(2); time.sleep(600)\nprint('done')"
    finished = room.run(script)
    assert (finished.exit_code, finished.stdout) == (0, "done\n")
    assert finished.seconds < 15


def test_a_crash_is_told_by_its_signal(room: Room) -> None:
    assert room.run("import ctypes; ctypes.string_at(0)").exit_code == -11
    assert room.run("os.abort()").exit_code == -6
    assert room.run("os.kill(os.getpid(), 9)").exit_code == -9


def test_killing_the_starter_helps_nobody(room: Room) -> None:
    finished = room.run("import signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(600)", seconds=2.0)
    assert finished.exit_code != 0


def test_there_is_no_network_unless_it_is_asked_for(tmp_path: Path) -> None:
    room = Room(tmp_path, "namespaces")
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 3)"
        try:
            assert room.run(script).exit_code == 1
        except CannotConfine:
            pytest.skip("this system does not permit namespaces")
        room.sandbox.has_network = True
        assert room.run(script).exit_code == 0
    own = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname(), 3)"
    room.sandbox.has_network = False
    assert room.run(own).exit_code == 0, "loopback of its own is there"


def test_where_nothing_confines_nothing_is_run(tmp_path: Path) -> None:
    room = Room(tmp_path, "none")
    with pytest.raises(CannotConfine, match="namespaces"):
        room.run("open('ran', 'w')")
    assert not (room.workspace / "ran").exists()


def test_a_script_cannot_speak_for_the_sandbox(room: Room) -> None:
    script = (
        "for number in range(3, 256):\n"
        "    try: os.write(number, b'{\"exit\": 0}\\n')\n"
        "    except OSError: pass\n"
        "sys.exit(7)"
    )
    assert room.run(script).exit_code == 7


def test_long_arguments_arrive_whole(room: Room) -> None:
    (room.workspace / "count.py").write_text("import sys; print(sum(map(len, sys.argv[1:])))")
    command = [sys.executable, "count.py", *["é" * 10_000] * 100]
    assert room.sandbox.run(command, room.workspace, Bounds()).stdout == "1000000\n"
