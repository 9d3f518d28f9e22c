"""The safety net: an audit hook that stops what the overlay's patches did not catch.

Python reports every file operation to audit hooks before it happens, whichever name it was called by. A change
outside the permitted folders is refused with `PermissionError`, and so is starting another program: what that
writes could not be kept apart. Audit hooks cannot be removed, so one hook serves the process and is switched.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

from .overlay_layers import Layers, real

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# event -> positions of the paths it changes
_CHANGES: dict[str, tuple[int, ...]] = {
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.mkdir": (0,),
    "os.link": (1,),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.utime": (0,),
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.chflags": (0,),
    "os.setxattr": (0,),
    "os.removexattr": (0,),
    "sqlite3.connect": (0,),
}
_DIR_FDS: dict[str, tuple[int, ...]] = {"os.rename": (2, 3), "os.link": (3,), "os.symlink": (2,)}
_STARTS = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "subprocess.Popen")

# Programs that only answer a question, with the first arguments they may be given (empty: any).
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "uname": (),
    "lscpu": (),
    "nproc": (),
    "whoami": (),
    "which": (),
    "ldconfig": ("-p",),
    "nvidia-smi": ("-L", "-q", "--query-gpu"),
    "git": ("rev-parse", "ls-files"),
}


class Guard:
    """Refuses changes outside the permitted folders and other programs; keeps a record of refusals."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.refusals: list[str] = []
        self._thread = threading.local()

    def vouch(self, vouched: bool) -> None:
        """The next `open` event of this thread comes from a call whose opener redirects it."""
        self._thread.vouched = vouched

    def check(self, event: str, args: tuple[Any, ...]) -> None:
        """Raise `PermissionError` if `event` would change the user's files."""
        if event == "open":
            path, _, flags = args
            if isinstance(path, int) or not isinstance(flags, int) or not flags & _WRITES:
                return
            if getattr(self._thread, "vouched", False):
                self._thread.vouched = False
                return
            self._check_path(path, None)
        elif event in _CHANGES:
            folders = _DIR_FDS.get(event, (len(args) - 1,))
            for position, at in zip(_CHANGES[event], folders):  # noqa: B905  (`strict` needs Python 3.10)
                folder = args[at] if at > position else None
                self._check_path(args[position], folder if isinstance(folder, int) and folder >= 0 else None)
        elif event in _STARTS:
            self.check_start(args[:1] if event == "os.system" else args[1])

    def _check_path(self, path: Any, folder: int | None) -> None:
        if isinstance(path, int):
            real_path = self._behind(path)
        else:
            text = os.fsdecode(path)
            if text in ("", ":memory:") or text.startswith("file::memory:"):
                return
            base = real.getcwd() if folder is None else self._behind(folder)
            parent, name = os.path.split(os.path.join(base, text.split("?")[0][5:] if text[:5] == "file:" else text))
            real_path = f"{self.layers.canonical(parent)}/{name}"
        if self.layers.is_free(real_path) or _is_device(real_path):
            return
        self.refusals.append(f"a change of {real_path}")
        raise PermissionError(
            13, "this way of changing a file is not kept apart while a program is checked; see --allow-writes", path
        )

    def _behind(self, descriptor: int) -> str:
        try:
            return str(real.readlink(f"/proc/self/fd/{descriptor}"))
        except OSError:
            return self.layers.of_descriptor(descriptor) or "/"

    def check_start(self, command: Any) -> None:
        """Raise `PermissionError` unless `command` (a list of str) only asks a question."""
        words = [os.fsdecode(word) for word in ([command] if isinstance(command, (str, bytes)) else command)]
        if _is_question(words) or "from multiprocessing.resource_tracker" in " ".join(words):
            return
        shown = " ".join(words)[:120]
        self.refusals.append(f"the program `{shown}`")
        raise PermissionError(
            13, f"`{shown}` was not started: what another program writes cannot be kept apart; see --allow-writes"
        )


def _is_question(words: Sequence[str]) -> bool:
    name = os.path.basename(words[0]) if words else ""
    if name not in _QUESTIONS:
        return False
    first = words[1] if len(words) > 1 else ""
    allowed = _QUESTIONS[name]
    return not allowed or first.startswith(allowed)


def _is_device(path: str) -> bool:
    """An existing pipe, socket or device: writing to it changes no file."""
    try:
        mode = real.stat(path).st_mode
    except OSError:
        return False
    return (mode & 0o170000) not in (0o100000, 0o040000)


class _Switch:
    hooked = False
    guard: Guard | None = None


def switch_on(guard: Guard) -> None:
    """Let `guard` see this process's audit events."""
    _Switch.guard = guard
    if not _Switch.hooked:
        _Switch.hooked = True
        sys.addaudithook(_hook)


def switch_off() -> None:
    """Let everything pass again."""
    _Switch.guard = None


def _hook(event: str, args: tuple[Any, ...]) -> None:
    guard = _Switch.guard
    if guard is not None and (event == "open" or event in _CHANGES or event in _STARTS):
        guard.check(event, args)
