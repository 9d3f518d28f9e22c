"""Runs commands of the workspace: confined, bounded in everything, without the user's secrets."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from harness.agent.processes import Tree

_CONFINE = Path(__file__).with_name("confine.py")
_PROJECT = Path(__file__).resolve().parents[2]
_POLL_SECONDS = 0.1
_DISK_POLL_SECONDS = 0.5
_MIB = 2**20

# Names of variables that hold something secret, and of those that are for us or send traffic somewhere else.
_SECRET = re.compile(r"(?i)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$")
_ROUTE = re.compile(r"(?i)^ANTHROPIC_|PROXY")

Mode = Literal["namespaces", "landlock", "none"]


@dataclass(frozen=True)
class Bounds:
    """What one command may use."""

    seconds: float = 120.0
    memory_mib: int = 8192
    processes: int = 64
    disk_mib: int = 1024
    files: int = 20_000
    output_mib: int = 16
    """Output that is read before the command is ended; what is kept of it is `kept_characters`."""
    kept_characters: int = 200_000


@dataclass(frozen=True)
class Finished:
    """What became of a command."""

    exit_code: int | None
    """Negative for a signal; None if it was ended because of a bound."""
    stdout: str
    stderr: str
    ended_by: str | None
    """Which bound ended it, in words; None if it ended by itself."""
    seconds: float
    output_bytes: int


class CannotConfine(Exception):
    """This system offers no way to keep a command from the user's files."""


@dataclass
class Sandbox:
    """Where commands run. `writable` are the only folders they can change."""

    writable: Sequence[Path]
    temporary: Path
    """A writable folder of ours for temporary files; part of `writable`."""
    kernel_cache: Path | None = None
    """A folder of ours that takes what is compiled; the user's cache of compiled kernels stays as it is."""
    has_network: bool = False
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    mode: Mode | None = None
    """Found out at the first command."""

    def run(self, command: Sequence[str], cwd: Path, bounds: Bounds, may_leave_group: bool = False) -> Finished:
        """Run a command to its end or its bounds.

        Args:
            may_leave_group: the command is one of ours that keeps its own processes in order.

        Raises:
            CannotConfine: nothing was started.
        """
        if self.mode is None:
            self.mode = self._find_mode(cwd)
        if self.mode == "none":
            raise CannotConfine("This system has neither user namespaces nor Landlock, so no script is run.")
        finished = self._run(command, cwd, bounds, self.mode, may_leave_group)
        if finished is None:
            raise CannotConfine("The system no longer confines new processes, so nothing was run.")
        return finished

    def _find_mode(self, cwd: Path) -> Mode:
        if sys.platform.startswith("linux"):
            for mode in ("namespaces", "landlock"):
                if self._run([sys.executable, "-c", ""], cwd, Bounds(seconds=20), mode) is not None:
                    return mode
        return "none"

    def _run(
        self, command: Sequence[str], cwd: Path, bounds: Bounds, mode: Mode, may_leave_group: bool = False
    ) -> Finished | None:
        reading, writing = os.pipe()
        request = {
            "command": list(command), "cwd": str(cwd), "mode": mode, "network": self.has_network,
            "writable": self._writable(mode), "overlays": self._overlays(mode), "project": str(_PROJECT),
            "limits": _limits(bounds), "status_fd": writing, "may_leave_group": may_leave_group,
        }  # fmt: skip
        started = time.monotonic()
        hide_environment()
        with tempfile.TemporaryFile() as given:
            given.write(json.dumps(request).encode())
            given.seek(0)
            process = subprocess.Popen(
                [sys.executable, "-I", str(_CONFINE), str(given.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.temporary,
                env=self._child_environment(mode),
                pass_fds=(writing, given.fileno()),
                start_new_session=True,
            )
        os.close(writing)
        tree = Tree(process)
        try:
            watched = _watch(process, tree, bounds, self.writable, started)
        finally:
            tree.end()
        with os.fdopen(reading, encoding="utf-8", errors="replace") as status:
            told: dict[str, Any] = {}
            for line in status:
                with contextlib.suppress(ValueError):
                    told.update(json.loads(line))
        if "unconfined" in told or "confined" not in told:
            return None
        return Finished(
            exit_code=None if watched.ended_by else told.get("exit"),
            stdout=watched.text("stdout"),
            stderr=watched.text("stderr"),
            ended_by=watched.ended_by,
            seconds=time.monotonic() - started,
            output_bytes=watched.total,
        )

    def _writable(self, mode: Mode) -> list[str]:
        folders = [str(folder) for folder in self.writable]
        if self.kernel_cache is not None and not self._is_layered(mode):
            folders.append(str(self._compiled()))
        return folders

    def _overlays(self, mode: Mode) -> list[tuple[str, str, str]]:
        """The user's cache of compiled kernels, read through a layer of ours that takes what is written."""
        if self.kernel_cache is None or not self._is_layered(mode):
            return []
        work = self.kernel_cache / "work"
        work.mkdir(parents=True, exist_ok=True)
        return [(str(_kernel_cache(self.environment)), str(self._compiled()), str(work))]

    def _is_layered(self, mode: Mode) -> bool:
        return mode == "namespaces" and _kernel_cache(self.environment).is_dir()

    def _compiled(self) -> Path:
        assert self.kernel_cache is not None
        folder = self.kernel_cache / "compiled"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _child_environment(self, mode: Mode) -> dict[str, str]:
        kept = {
            name: value for name, value in self.environment.items() if not _ROUTE.search(name) and not is_secret(name)
        }
        kept.update(TMPDIR=str(self.temporary), PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1")
        kept["CUDA_CACHE_PATH"] = str(self.temporary / "cuda")
        if self.kernel_cache is not None:
            users = _kernel_cache(self.environment)
            kept["WARP_CACHE_PATH"] = str(users if self._is_layered(mode) else self._compiled())
        return kept


def is_secret(name: str) -> bool:
    """Whether an environment variable of this name is taken for a secret."""
    return _SECRET.search(name) is not None


def hide_environment() -> None:
    """Linux: keep other processes of this user from reading our environment, which holds the key."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


def _kernel_cache(environment: Mapping[str, str]) -> Path:
    if environment.get("WARP_CACHE_PATH"):
        return Path(environment["WARP_CACHE_PATH"]).absolute()
    base = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "warp"


def _limits(bounds: Bounds) -> dict[str, int]:
    """Kernel limits for each process; `_watch` bounds what they use together."""
    limits = {"RLIMIT_FSIZE": bounds.disk_mib * _MIB, "RLIMIT_CORE": 0}
    # Counts threads too, and does not hold for root.
    limits["RLIMIT_NPROC"] = bounds.processes * 16
    return limits


@dataclass
class _Watched:
    kept: dict[str, list[bytes]] = field(default_factory=lambda: {"stdout": [], "stderr": []})
    lengths: dict[str, int] = field(default_factory=lambda: {"stdout": 0, "stderr": 0})
    total: int = 0
    ended_by: str | None = None
    limit: int = 0

    def add(self, name: str, data: bytes) -> None:
        self.total += len(data)
        room = self.limit - self.lengths[name]
        if room > 0:
            self.kept[name].append(data[:room])
            self.lengths[name] += len(data[:room])

    def text(self, name: str) -> str:
        return b"".join(self.kept[name]).decode("utf-8", errors="replace")


def _watch(
    process: subprocess.Popen[bytes], tree: Tree, bounds: Bounds, folders: Sequence[Path], started: float
) -> _Watched:
    watched = _Watched(limit=bounds.kept_characters)
    before, next_disk = _used(folders, bounds.files), started + _DISK_POLL_SECONDS
    with selectors.DefaultSelector() as selector:
        for name, stream in (("stdout", process.stdout), ("stderr", process.stderr)):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ, name)
        while watched.ended_by is None:
            if process.poll() is not None:
                _drain(selector, watched)
                break
            for key, _ in selector.select(_POLL_SECONDS):
                _read(selector, key, watched)
            now = time.monotonic()
            watched.ended_by = _exceeded(tree, bounds, watched, now - started)
            if watched.ended_by is None and now > next_disk:
                next_disk = now + _DISK_POLL_SECONDS
                watched.ended_by = _disk_exceeded(before, _used(folders, bounds.files), bounds)
            if not selector.get_map():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_SECONDS)
    return watched


def _read(selector: selectors.BaseSelector, key: selectors.SelectorKey, watched: _Watched) -> bool:
    try:
        data = os.read(key.fd, 65536)
    except BlockingIOError:
        return False
    if not data:
        selector.unregister(key.fileobj)
        return False
    watched.add(key.data, data)
    return True


def _drain(selector: selectors.BaseSelector, watched: _Watched) -> None:
    for key in list(selector.get_map().values()):
        while _read(selector, key, watched) and watched.total < 2**28:
            pass


def _exceeded(tree: Tree, bounds: Bounds, watched: _Watched, seconds: float) -> str | None:
    if seconds > bounds.seconds:
        return f"it ran for {bounds.seconds:.0f} s, the limit"
    if watched.total > bounds.output_mib * _MIB:
        return f"it printed more than {bounds.output_mib} MiB, the limit"
    used = tree.used()
    if used.processes > bounds.processes:
        return f"it had {used.processes} processes; the limit is {bounds.processes}"
    if used.memory > bounds.memory_mib * _MIB:
        return f"it used {used.memory // _MIB} MiB of memory; the limit is {bounds.memory_mib}"
    return None


def _disk_exceeded(before: tuple[int, int], now: tuple[int, int], bounds: Bounds) -> str | None:
    grown, files = now[0] - before[0], now[1] - before[1]
    if grown > bounds.disk_mib * _MIB:
        return f"it wrote {grown // _MIB} MiB of files; the limit is {bounds.disk_mib}"
    if files > bounds.files:
        return f"it made more than {bounds.files} files, the limit"
    return None


def _used(folders: Sequence[Path], most: int) -> tuple[int, int]:
    """Bytes and number of the files below the folders; stops counting once a bound is certain to be exceeded."""
    size = count = 0
    waiting = [str(folder) for folder in folders]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                with contextlib.suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
        if count > 10 * most:
            break
    return size, count
