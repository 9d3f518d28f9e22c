"""Two layers of files: a scratch copy above, the user's own below.

Everything here speaks of *canonical* paths: absolute, symbolic links resolved, as the program sees them. A
canonical path `/a/b` has its scratch copy at `<scratch>/files/a/b`. `hidden` holds canonical paths whose lower
file or folder the program has deleted (or replaced); it says nothing about the upper layer.

The functions of `os` are captured when this module is imported, before anything is patched.
"""

from __future__ import annotations

import errno
import os
import stat
import types
from collections.abc import Sequence
from typing import Any

# A private copy of `os` as it was: every call through it reaches the real file system.
real = types.SimpleNamespace(**vars(os))

_LINK_LIMIT = 40
_COPY_BYTES = 1 << 20


def failure(code: int, path: Any, other: Any = None) -> OSError:
    """The `OSError` that the operating system would have raised for `path`."""
    if other is None:
        return OSError(code, real.strerror(code), path)
    return OSError(code, real.strerror(code), path, None, other)


def within(path: str, root: str) -> bool:
    """Whether `path` is `root` or lies below it; both canonical."""
    return path == root or path.startswith(root if root.endswith("/") else root + "/")


class Layers:
    """Where a path of the program's really lives: in scratch, in the user's folder, or nowhere."""

    def __init__(self, scratch: str, free: Sequence[str]) -> None:
        self.hidden: set[str] = set()
        self.own_folders: set[str] = set()
        self.fenced: list[str] = []  # former scratch folders: another process uses them
        self._folders: dict[str, str] = {}
        self.root_at(scratch, free)

    def root_at(self, scratch: str, free: Sequence[str]) -> None:
        """Use `scratch` from now on; `free` are the folders the program may write for real."""
        self.scratch = os.path.realpath(scratch)
        self.upper_root = self.scratch + "/files"
        self.free_roots = [os.path.realpath(folder) for folder in free]
        make_folders(self.upper_root)
        self._folders.clear()

    # -- names ---------------------------------------------------------------------------------------------

    def working_folder(self) -> str:
        """The working folder as the program sees it, also inside a folder that exists only in scratch."""
        return self.seen(real.getcwd())

    def seen(self, path: str) -> str:
        """The canonical path of a real path: scratch copies get the name of what they stand for."""
        return path[len(self.upper_root) :] or "/" if within(path, self.upper_root) else path

    def of_descriptor(self, descriptor: int) -> str | None:
        """Canonical path behind an open descriptor, or None where the system does not tell."""
        try:
            link: str = real.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            link = _descriptor_path(descriptor)
        return self.seen(link) if link.startswith("/") else None

    def canonical(self, path: Any, folder: int | None = None, follow: bool = True) -> str:
        """Canonical path of `path`; the last component is resolved only with `follow`. May not exist."""
        text = os.fsdecode(path)
        if not text:
            raise failure(errno.ENOENT, path)
        if not text.startswith("/"):
            base = self.of_descriptor(folder) if folder is not None else self.working_folder()
            if base is None:
                raise failure(errno.EBADF, path)
            text = f"{base}/{text}"
        for _ in range(_LINK_LIMIT):
            parent, _, name = text.rstrip("/").rpartition("/")
            if name in ("", ".", ".."):
                return self._folder(text)
            parent = self._folder(parent)
            place = f"{parent}/{name}" if parent != "/" else f"/{name}"
            target = self._link_target(place) if follow else None
            if target is None:
                return place
            text = target if target.startswith("/") else f"{parent}/{target}"
        raise failure(errno.ELOOP, path)

    def _folder(self, text: str) -> str:
        known = self._folders.get(text)
        if known is None:
            known = self._folders[text] = self._walk(text)
        return known

    def _walk(self, text: str) -> str:
        parts, place, links = text.split("/")[::-1], "", 0
        while parts:
            part = parts.pop()
            if part in ("", "."):
                continue
            if part == "..":
                place = place.rpartition("/")[0]
                continue
            target = self._link_target(f"{place}/{part}")
            if target is None:
                place = f"{place}/{part}"
                continue
            links += 1
            if links > _LINK_LIMIT:
                raise failure(errno.ELOOP, text)
            if target.startswith("/"):
                place = ""
            parts.extend(target.split("/")[::-1])
        return place or "/"

    def _link_target(self, place: str) -> str | None:
        where = self.look(place)
        if where is None:
            return None
        try:
            target: str = real.readlink(where)
        except OSError:
            return None
        return target

    def forget_folders(self) -> None:
        """Resolved folders are remembered; call after anything that can change what a folder's name means."""
        self._folders.clear()

    # -- looking -------------------------------------------------------------------------------------------

    def is_free(self, place: str) -> bool:
        """Whether the program may change `place` for real (scratch, caches, devices)."""
        if within(place, self.scratch):
            return True
        if self.fenced and any(within(place, root) for root in self.fenced):
            return False
        return any(within(place, root) for root in self.free_roots)

    def upper(self, place: str) -> str:
        """Where the scratch copy of `place` is or would be."""
        return self.upper_root + place

    def lower_is_visible(self, place: str) -> bool:
        """Whether nothing the program deleted covers the user's `place` (which need not exist)."""
        if not self.hidden:
            return True
        while place not in self.hidden:
            if place in ("", "/"):
                return True
            place = place.rpartition("/")[0]
        return False

    def look(self, place: str) -> str | None:
        """The real path to read `place` from; None if deleted. It need not exist."""
        if self.is_free(place):
            return place
        copy = self.upper(place)
        try:
            mode = real.lstat(copy).st_mode
        except OSError:
            return place if self.lower_is_visible(place) else None
        if stat.S_ISDIR(mode) and place not in self.own_folders and self.is_folder_below(place):
            return place
        return copy

    def is_folder_below(self, place: str) -> bool:
        """Whether the user's layer shows a folder at `place`."""
        return self.lower_is_visible(place) and stat.S_ISDIR(_mode(place))

    def mode(self, place: str) -> int:
        """`st_mode` of what the program sees at `place` (links not followed); 0 if there is nothing."""
        where = self.look(place)
        return 0 if where is None else _mode(where)

    def has_lower(self, place: str) -> bool:
        """Whether the user's layer shows anything at `place`."""
        return self.lower_is_visible(place) and _mode(place) != 0

    # -- changing the upper layer --------------------------------------------------------------------------

    def prepare_parent(self, place: str, path: Any) -> None:
        """Make room in scratch for a new `place`, with the errors a real folder would give."""
        parent = place.rpartition("/")[0] or "/"
        mode = self.mode(parent)
        if not mode:
            raise failure(errno.ENOENT, path)
        if not stat.S_ISDIR(mode):
            raise failure(errno.ENOTDIR, path)
        self.check_folder_writable(parent, path)
        make_folders(self.upper(parent))

    def check_folder_writable(self, folder: str, path: Any) -> None:
        """The program may only add to or remove from a folder where it could have done so for real."""
        where = self.look(folder)
        if where is not None and not real.access(where, os.W_OK):
            raise failure(errno.EACCES, path)

    def copy_up(self, place: str, content: bool = True) -> str:
        """Bring `place` into scratch (a file, link or single folder) and return its path there."""
        copy = self.upper(place)
        source = self.look(place)
        if source is None or source == copy:
            return copy
        make_folders(copy.rpartition("/")[0])
        info = real.lstat(source)
        if stat.S_ISLNK(info.st_mode):
            real.symlink(real.readlink(source), copy)
            return copy
        if stat.S_ISDIR(info.st_mode):
            make_folders(copy)
            self.own_folders.add(place)
        else:
            copy_bytes(source, copy, content)
        real.chmod(copy, stat.S_IMODE(info.st_mode))
        real.utime(copy, ns=(info.st_atime_ns, info.st_mtime_ns))
        return copy

    def copy_up_tree(self, place: str) -> str:
        """Bring `place` and everything the program sees below it into scratch."""
        copy = self.copy_up(place)
        if stat.S_ISDIR(_mode(copy)):
            for name in self.names(place):
                self.copy_up_tree(f"{place}/{name}")
        return copy

    def names(self, place: str) -> list[str]:
        """Names the program sees in the folder `place`: the user's in their order, then new ones."""
        copy = self.upper(place)
        above = real.listdir(copy) if stat.S_ISDIR(_mode(copy)) else []
        if not self.is_folder_below(place):
            return list(above)
        prefix = place if place.endswith("/") else place + "/"
        fresh = set(above)
        below = [name for name in real.listdir(place) if name in fresh or prefix + name not in self.hidden]
        return below + sorted(fresh.difference(below))


def make_folders(path: str) -> None:
    """`os.makedirs(path, exist_ok=True)`, whose own version would call the patched `os.mkdir`."""
    try:
        real.mkdir(path)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_folders(path.rpartition("/")[0])
        make_folders(path)  # another process of the program's may be faster


def copy_bytes(source: str, target: str, content: bool = True) -> None:
    """Make `target` a new file with the contents of `source`, or empty."""
    out = real.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        if content:
            came = real.open(source, os.O_RDONLY)
            try:
                while block := real.read(came, _COPY_BYTES):
                    while block:
                        block = block[real.write(out, block) :]
            finally:
                real.close(came)
    finally:
        real.close(out)


def _mode(path: str) -> int:
    try:
        mode: int = real.lstat(path).st_mode
    except OSError:
        return 0
    return mode


def _descriptor_path(descriptor: int) -> str:
    """Path behind a descriptor on systems without /proc (F_GETPATH, macOS); empty if unknown."""
    import fcntl

    command = getattr(fcntl, "F_GETPATH", None)
    if command is None:
        return ""
    try:
        return os.fsdecode(fcntl.fcntl(descriptor, command, b"\0" * 1024).rstrip(b"\0"))
    except OSError:
        return ""
