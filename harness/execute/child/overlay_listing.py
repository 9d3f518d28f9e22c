"""Listing a folder that may have entries in both layers."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from .overlay_layers import Layers, failure, real


def listing(layers: Layers, path: Any) -> list[Any]:
    """`os.listdir(path)`: names, as bytes if `path` is bytes."""
    place = _folder(layers, path)
    try:
        where = layers.look(place)
        if where is None:
            raise failure(errno.ENOENT, path)
        names = real.listdir(where) if layers.is_free(place) or not _is_mixed(layers, place) else layers.names(place)
    except OSError as error:
        error.filename = path
        raise
    return [os.fsencode(name) for name in names] if isinstance(path, bytes) else list(names)


def scanning(layers: Layers, path: Any) -> Any:
    """`os.scandir(path)`: the real iterator where only the user's layer matters, else a merged one."""
    if path is None:
        path = "."
    place = _folder(layers, path)
    try:
        where = layers.look(place)
        if where is None:
            raise failure(errno.ENOENT, path)
        mixed = not layers.is_free(place) and _is_mixed(layers, place)
        if not mixed and (isinstance(path, int) or _means_the_same(layers, path, place)):
            return real.scandir(path)
        with real.scandir(where):  # raises what a missing or unreadable folder raises
            pass
        names = layers.names(place) if mixed else real.listdir(where)
        return MergedScan([MergedEntry(layers, place, path, name) for name in names])
    except OSError as error:
        error.filename = path
        raise


def _means_the_same(layers: Layers, path: Any, place: str) -> bool:
    """Whether the system resolves the program's own spelling to `place` (no link or folder of scratch in it)."""
    working = layers.working_folder()
    return real.getcwd() == working and os.path.normpath(os.path.join(working, os.fsdecode(path))) == place


def _folder(layers: Layers, path: Any) -> str:
    if not isinstance(path, int):
        return layers.canonical("." if path is None else path)
    place = layers.of_descriptor(path)
    if place is None:
        raise failure(errno.EBADF, path)
    return place


def _is_mixed(layers: Layers, place: str) -> bool:
    """Whether `place` shows anything but the user's own entries."""
    if real.access(layers.upper(place), os.F_OK):
        return True
    prefix = place if place.endswith("/") else place + "/"
    return any(path.startswith(prefix) for path in layers.hidden)


class MergedEntry:
    """An `os.DirEntry` for a name of either layer."""

    def __init__(self, layers: Layers, place: str, folder: Any, name: str) -> None:
        self._layers = layers
        self._place = f"{place}/{name}" if place != "/" else f"/{name}"
        text: str | bytes = name if isinstance(folder, int) else os.fspath(folder)
        if isinstance(text, bytes):
            self.name: str | bytes = os.fsencode(name)
            self.path: str | bytes = os.path.join(text, os.fsencode(name))
        else:
            self.name = name
            self.path = name if isinstance(folder, int) else os.path.join(text, name)

    def __fspath__(self) -> str | bytes:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        """`os.stat_result` of what the program sees."""
        place = self._layers.canonical(self._place, follow=follow_symlinks)
        where = self._layers.look(place)
        if where is None:
            raise failure(errno.ENOENT, self.path)
        return real.lstat(where)

    def inode(self) -> int:
        """Inode number of the entry itself."""
        return int(self.stat(follow_symlinks=False).st_ino)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether this is a folder."""
        return stat.S_ISDIR(self._mode(follow_symlinks))

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether this is a regular file."""
        return stat.S_ISREG(self._mode(follow_symlinks))

    def is_symlink(self) -> bool:
        """Whether this is a symbolic link."""
        return stat.S_ISLNK(self._mode(False))

    def is_junction(self) -> bool:
        """Never, on the systems the overlay supports."""
        return False

    def _mode(self, follow: bool) -> int:
        try:
            return int(self.stat(follow_symlinks=follow).st_mode)
        except OSError:
            return 0


class MergedScan:
    """What `os.scandir` returns: an iterator that is also a context manager."""

    def __init__(self, entries: list[MergedEntry]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[MergedEntry]:
        return self

    def __next__(self) -> MergedEntry:
        return next(self._entries)

    def __enter__(self) -> MergedScan:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give no more entries."""
        self._entries = iter(())
