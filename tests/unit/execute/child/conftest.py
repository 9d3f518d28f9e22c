"""Programs of these tests run in a process of their own, in a folder whose every byte and time is compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

DRIVER = Path(__file__).with_name("drive.py")
# Another interpreter for the programs, such as an older one without numpy.
PYTHON = os.environ.get("CHILD_TEST_PYTHON", sys.executable)


class Outcome(NamedTuple):
    """What one program did. `writes` maps paths relative to the user's folder to an action."""

    out: str
    err: str
    error: str | None
    traceback: str
    writes: dict[str, str]
    escapes: list[str]
    applied: list[str]
    confined: bool | None


Snapshot = dict[str, tuple[int, int, bytes]]
Run = Callable[..., Outcome]


def snapshot(folder: Path) -> Snapshot:
    """Mode, modification time and contents (or link target) of everything below `folder`."""
    found: Snapshot = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        info = path.lstat()
        content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (info.st_mode, info.st_mtime_ns, content)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The user's folder."""
    folder = tmp_path / "project"
    (folder / "data" / "deep").mkdir(parents=True)
    (folder / "notes.txt").write_text("first line\n")
    (folder / "data" / "gains.csv").write_text("a,1\nb,2\n")
    (folder / "data" / "deep" / "blob.bin").write_bytes(bytes(range(256)))
    (folder / "link.txt").symlink_to("notes.txt")
    (folder / "data-link").symlink_to("data")
    return folder


@pytest.fixture
def run(project: Path, tmp_path: Path) -> Run:
    """Run program text as `project/main.py` in the overlay and check that `project` stays as it was."""

    def run_program(text: str, *, overlay: bool = True, **request: Any) -> Outcome:
        if text:
            (project / "main.py").write_text(textwrap.dedent(text).lstrip("\n"))
        before = snapshot(project)
        full: dict[str, Any] = {
            "script": "main.py",
            "module": None,
            "argv": [],
            "cwd": str(project),
            "overrides": {},
            "scratch": str(tmp_path / "scratch") if overlay else None,
            "passthrough": ["/dev", "/proc", str(tmp_path / "caches")],
            "confine": False,
            "result": str(tmp_path / "result.json"),
            **request,
        }
        (tmp_path / "request.json").write_text(json.dumps(full))
        done = subprocess.run(
            [PYTHON, str(DRIVER), str(tmp_path / "request.json")],
            cwd=project,
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )
        assert (tmp_path / "result.json").exists(), done.stderr
        result = json.loads((tmp_path / "result.json").read_text())
        if overlay:
            assert snapshot(project) == before
        writes = {os.path.relpath(path, project): action for path, action in result["writes"]}
        return Outcome(
            done.stdout,
            done.stderr,
            result["error"],
            result["traceback"],
            writes,
            result["escapes"],
            result["applied"],
            result.get("confined"),
        )

    return run_program
