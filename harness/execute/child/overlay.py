"""A write overlay: what the program writes lands in a scratch folder, and the program reads it back from there.

It works inside one process, at the level of Python's file functions (POSIX systems). An audit hook refuses what
the patches do not cover, and `confine` lets the Linux kernel refuse what compiled code does.

Rules
- Reads see scratch first, then the user's files; deleted files are gone for the program only.
- Opening for update (`"r+"`, `"a"`) copies the original into scratch first; renaming a folder copies that folder.
- The temporary folder is one inside scratch. Folders in `passthrough` (caches, devices) are used for real.
- Other programs are not started (`PermissionError`), except a few that only answer a question (`git rev-parse`).
- Compiled byte code is not written.
"""

from __future__ import annotations

import abc
import io
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import overlay_fork, overlay_guard, overlay_landlock
from .overlay_calls import Calls
from .overlay_imports import WrittenModules
from .overlay_layers import Layers, make_folders, real, within
from .overlay_native import BLIND_SPOTS, NativeCalls

_PACKAGE = __name__.partition(".")[0]
_LEFT_ALONE = ("posix", "_posixsubprocess", "_frozen_importlib", "_frozen_importlib_external", "importlib._bootstrap")
_CLASSES_WITH_COPIES = ("pathlib", "pathlib._local", "pathlib._abc", "glob")
_open = io.open
_FileIO = io.FileIO


class Write(NamedTuple):
    """One file or folder of the user's that the program would have changed."""

    path: str
    action: str  # "created", "changed" or "deleted"


class Overlay:
    """Keeps what a program writes apart from the user's files. One may be installed at a time.

    Args:
        scratch: a folder of ours; created if missing. Everything written lands below it.
        passthrough: folders the program may change for real; see `default_passthrough`.
    """

    blind_spots = BLIND_SPOTS

    def __init__(self, scratch: Path, passthrough: Sequence[Path]) -> None:
        make_folders(os.path.abspath(scratch))
        self._free = [os.path.abspath(folder) for folder in passthrough]
        self._layers = Layers(str(scratch), self._free)
        self._calls = Calls(self._layers)
        self._guard = overlay_guard.Guard(self._layers)
        self._native = NativeCalls(self._layers, warp_cache_folder())
        self._written_modules = WrittenModules(self._layers)
        self._undo: list[Callable[[], None]] = []
        self._temporaries: list[str] = []
        self._installed = False

    @property
    def escapes(self) -> tuple[str, ...]:
        """What was refused because it could not be kept apart, in the order it was tried."""
        return tuple(self._guard.refusals)

    def install(self) -> None:
        """Start keeping writes apart."""
        if self._installed:
            return
        self._installed = True
        self._calls.layers = self._layers
        import _posixsubprocess
        import shutil

        replacements = self._replacements()
        self._rebind(replacements)
        for group in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
            self._join(group, replacements)
        # Walking by descriptor and by name is the same here; by name is simpler to follow.
        self._set(shutil, "_use_fd_functions", False)
        self._set(_posixsubprocess, "fork_exec", self._fork_exec(_posixsubprocess.fork_exec))
        self._set(sys, "dont_write_bytecode", True)
        self._use_temporary_folder()
        self._native.install()
        self._written_modules.install()
        overlay_guard.switch_on(self._guard)

    def uninstall(self) -> None:
        """Give the program the real functions again. What is in scratch stays there."""
        if not self._installed:
            return
        overlay_guard.switch_off()
        self._native.uninstall()
        self._written_modules.uninstall()
        while self._undo:
            self._undo.pop()()
        # Functions that the program still holds now act for real; `writes` and `located` keep their answers.
        self._calls.layers = Layers(self._layers.scratch, ["/"])
        self._installed = False

    def fork(self, new_scratch: Path) -> None:
        """In a child forked after `install`: continue in `new_scratch`, starting from the present state."""
        overlay_guard.switch_off()  # these are our own writes
        make_folders(os.path.abspath(new_scratch))
        overlay_fork.move_to(self._layers, str(new_scratch), self._temporaries[-1], self._free)
        self._use_temporary_folder()
        overlay_guard.switch_on(self._guard)

    def confine(self, also: Sequence[Path] = ()) -> bool:
        """Let the kernel refuse all other writes of this process from now on, for good.

        Args:
            also: further folders that we or later scratch folders need, such as the parent of all scratch folders.

        Returns:
            False where the kernel cannot (then compiled code is a blind spot).
        """
        return overlay_landlock.confine([self._layers.scratch, *self._free, *(os.path.abspath(p) for p in also)])

    def writes(self) -> list[Write]:
        """What the program would have changed, net of what it took back, sorted by path."""
        gone = {place for place in self._layers.hidden if self._is_gone(place)}
        found = [Write(place, "deleted") for place in gone if not any(str(up) in gone for up in Path(place).parents)]
        found.extend(self._changes(self._layers.upper_root))
        return sorted(found)

    def located(self, path: Path) -> Path | None:
        """Where the program's version of `path` really is; None if the program deleted it."""
        where = self._layers.look(self._layers.canonical(path))
        return None if where is None else Path(where)

    # -- what changed --------------------------------------------------------------------------------------

    def _is_gone(self, place: str) -> bool:
        return not self._layers.mode(place) and bool(_lstat(place)) and not self._is_temporary(place)

    def _is_temporary(self, place: str) -> bool:
        return any(within(place, folder) for folder in self._temporaries)

    def _changes(self, folder: str) -> Iterator[Write]:
        with real.scandir(folder) as entries:
            for entry in entries:
                place = self._layers.seen(entry.path)
                above, below = real.lstat(entry.path), _lstat(place)
                if self._is_temporary(place):
                    continue
                if below is None:
                    yield Write(place, "created")
                elif not stat.S_ISDIR(above.st_mode) and _differ(above, below):
                    yield Write(place, "changed")
                if stat.S_ISDIR(above.st_mode):
                    yield from self._changes(entry.path)

    # -- patching ------------------------------------------------------------------------------------------

    def _replacements(self) -> dict[int, tuple[Any, Any]]:
        """Replacement for each original function, by its identity; originals are kept alive beside."""
        table = {id(getattr(real, name)): (getattr(real, name), call) for name, call in self._calls.table().items()}
        table[id(_open)] = (_open, self._opening(_open))
        table[id(_FileIO)] = (_FileIO, self._file_io())
        return table

    def _opening(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def open(
            file: Any,
            mode: str = "r",
            buffering: int = -1,
            encoding: str | None = None,
            errors: str | None = None,
            newline: str | None = None,
            closefd: bool = True,
            opener: Callable[[str, int], int] | None = None,
        ) -> Any:
            if isinstance(file, int):
                return original(file, mode, buffering, encoding, errors, newline, closefd, opener)
            # An opener, so that the file object keeps the name the program gave.
            opener = opener or self._by_name
            self._guard.vouch(True)
            try:
                return original(file, mode, buffering, encoding, errors, newline, closefd, opener)
            finally:
                self._guard.vouch(False)

        return open

    def _by_name(self, path: Any, flags: int) -> int:
        self._guard.vouch(False)
        return self._calls.open(path, flags, 0o666)

    def _file_io(self) -> type:
        overlay = self

        class Kind(abc.ABCMeta):
            def __instancecheck__(cls, instance: Any) -> bool:
                return isinstance(instance, _FileIO)

        class FileIO(_FileIO, metaclass=Kind):
            def __init__(self, file: Any, mode: str = "r", closefd: bool = True, opener: Any = None) -> None:
                if isinstance(file, int):
                    super().__init__(file, mode, closefd, opener)
                    return
                overlay._guard.vouch(True)
                try:
                    super().__init__(file, mode, closefd, opener or overlay._by_name)
                finally:
                    overlay._guard.vouch(False)

        return FileIO

    def _fork_exec(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def fork_exec(args: Any, *rest: Any) -> Any:
            self._guard.check_start(args)
            return original(args, *rest)

        return fork_exec

    def _rebind(self, replacements: dict[int, tuple[Any, Any]]) -> None:
        """Replace the functions wherever a loaded module holds them (`from os import remove`)."""
        for name, module in list(sys.modules.items()):
            if name.startswith((_PACKAGE + ".", *_LEFT_ALONE)) or name == _PACKAGE:
                continue
            names = getattr(module, "__dict__", None)
            if type(names) is not dict:
                continue
            for key, value in list(names.items()):
                found = replacements.get(id(value))
                if found is not None and not (name == "_io" and value is _FileIO):
                    self._set(module, key, found[1])
                elif name in _CLASSES_WITH_COPIES and isinstance(value, type) and value.__module__ == name:
                    self._rebind_class(value, replacements)

    def _rebind_class(self, owner: type, replacements: dict[int, tuple[Any, Any]]) -> None:
        """Some versions of pathlib and glob keep functions of `os` as class attributes."""
        for key, value in list(vars(owner).items()):
            found = replacements.get(id(value.__func__ if isinstance(value, staticmethod) else value))
            if found is not None:
                self._set(owner, key, staticmethod(found[1]), was=value)

    def _set(self, owner: Any, name: str, value: Any, was: Any = None) -> None:
        was = getattr(owner, name) if was is None else was
        setattr(owner, name, value)
        self._undo.append(lambda: setattr(owner, name, was))

    def _join(self, group: Any, replacements: dict[int, tuple[Any, Any]]) -> None:
        added = {replacements[id(call)][1] for call in group if id(call) in replacements}
        group.update(added)
        self._undo.append(lambda: group.difference_update(added))

    def _use_temporary_folder(self) -> None:
        folder = f"{self._layers.scratch}/tmp"
        make_folders(folder)
        self._temporaries.append(folder)
        environment, default = os.environ.get("TMPDIR"), tempfile.tempdir
        os.environ["TMPDIR"] = tempfile.tempdir = folder

        def restore() -> None:
            tempfile.tempdir = default
            if environment is None:
                os.environ.pop("TMPDIR", None)
            else:
                os.environ["TMPDIR"] = environment

        self._undo.append(restore)


def warp_cache_folder() -> str:
    """Where Warp keeps compiled kernels unless the program says otherwise."""
    named = os.environ.get("WARP_CACHE_PATH")
    if named:
        return os.path.abspath(named)
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/warp")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "warp")


def default_passthrough() -> list[Path]:
    """Caches of compiled kernels and devices: nothing in them is the user's work."""
    cuda = os.environ.get("CUDA_CACHE_PATH") or os.path.expanduser("~/.nv/ComputeCache")
    return [Path(folder) for folder in (warp_cache_folder(), cuda, "/dev", "/proc")]


def _lstat(path: str) -> os.stat_result | None:
    try:
        info: os.stat_result = real.lstat(path)
    except OSError:
        return None
    return info


def _differ(above: os.stat_result, below: os.stat_result) -> bool:
    """A copy made for an update that never came has the original's time, size and mode."""
    return (above.st_mtime_ns, above.st_size, above.st_mode) != (below.st_mtime_ns, below.st_size, below.st_mode)
