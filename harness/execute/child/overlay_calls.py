"""The functions of `os` as the program gets them while the overlay is on.

Reads go to the scratch copy where there is one; writes go to scratch, after a copy of the original has been made
where the old contents matter. Paths in `free` folders are touched for real. Errors carry the program's own path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from typing import Any

from .overlay_layers import Layers, failure, real, within
from .overlay_listing import listing, scanning

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_TEMPORARY = getattr(os, "O_TMPFILE", 0)

# name -> whether links are followed when the caller does not say
READS = {
    "stat": True,
    "lstat": False,
    "statvfs": True,
    "pathconf": True,
    "getxattr": True,
    "listxattr": True,
}
CHANGES = {
    "truncate": True,
    "utime": True,
    "chmod": True,
    "lchmod": False,
    "chown": True,
    "lchown": False,
    "chflags": True,
    "lchflags": False,
    "setxattr": True,
    "removexattr": True,
}
NEW_NODES = ("mkdir", "mkfifo", "mknod")
DESCRIPTOR_CHANGES = {"fchmod": "chmod", "fchown": "chown"}


class Calls:
    """One method per function of `os`; `table()` gives the replacements by name."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers

    def table(self) -> dict[str, Callable[..., Any]]:
        """Replacement for each function of `os` that exists on this system."""
        replacements: dict[str, Callable[..., Any]] = {
            "open": self.open,
            "remove": self.unlink,
            "unlink": self.unlink,
            "rmdir": self.rmdir,
            "rename": self.rename,
            "replace": self.rename,
            "link": self.link,
            "symlink": self.symlink,
            "listdir": self.listdir,
            "scandir": self.scandir,
            "chdir": self.chdir,
            "getcwd": self.getcwd,
            "getcwdb": self.getcwdb,
            "access": self.access,
            "readlink": self.readlink,
        }
        replacements.update({name: self._reader(name, follow) for name, follow in READS.items()})
        replacements.update({name: self._changer(name, follow) for name, follow in CHANGES.items()})
        replacements.update({name: self._maker(name) for name in NEW_NODES})
        replacements.update({name: self._by_path(name, other) for name, other in DESCRIPTOR_CHANGES.items()})
        return {name: call for name, call in replacements.items() if hasattr(real, name)}

    # -- opening -------------------------------------------------------------------------------------------

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        """`os.open`; everything that opens files by name ends here."""
        follow = not flags & getattr(os, "O_NOFOLLOW", 0)
        with _as_called(path):
            place = self.layers.canonical(path, dir_fd, follow)
            where = self._to_open(place, flags, path)
            descriptor: int = real.open(where, flags, mode)
        return descriptor

    def _to_open(self, place: str, flags: int, path: Any) -> str:
        """The real path to hand to `open`, after the copy that writing to it needs."""
        layers = self.layers
        if layers.is_free(place):
            return place
        where = layers.look(place)
        if not flags & _WRITES:
            if where is None:
                raise failure(errno.ENOENT, path)
            return where
        if _TEMPORARY and flags & _TEMPORARY == _TEMPORARY:
            return layers.copy_up(place)
        found = layers.mode(place)
        if not found:
            if not flags & os.O_CREAT:
                raise failure(errno.ENOENT, path)
            layers.prepare_parent(place, path)
            return layers.upper(place)
        if flags & os.O_CREAT and flags & os.O_EXCL:
            raise failure(errno.EEXIST, path)
        if stat.S_ISDIR(found):
            raise failure(errno.EISDIR, path)
        if not stat.S_ISREG(found):
            return where or place  # a pipe or a device: writing to it changes no file
        if where is not None and not real.access(where, os.W_OK):
            raise failure(errno.EACCES, path)
        return layers.copy_up(place, content=not flags & os.O_TRUNC)

    # -- generic families ----------------------------------------------------------------------------------

    def _reader(self, name: str, follow_default: bool) -> Callable[..., Any]:
        call = _function(name)

        def read(path: Any = ".", *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            if isinstance(path, int):
                return call(path, *args, **options)
            with _as_called(path):
                follow = options.get("follow_symlinks", follow_default)
                where = self.layers.look(self.layers.canonical(path, dir_fd, follow))
                if where is None:
                    raise failure(errno.ENOENT, path)
                return call(where, *args, **options)

        return read

    def access(self, path: Any, mode: int, **options: Any) -> bool:
        """`os.access`, which answers instead of raising."""
        try:
            return bool(self._reader("access", True)(path, mode, **options))
        except OSError:
            return False

    def readlink(self, path: Any, *, dir_fd: int | None = None) -> Any:
        """`os.readlink`, as bytes if `path` is bytes."""
        text = self._reader("readlink", False)(path, dir_fd=dir_fd)
        return os.fsencode(text) if isinstance(os.fspath(path), bytes) else text

    def _changer(self, name: str, follow_default: bool) -> Callable[..., Any]:
        call = _function(name)

        def change(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            with _as_called(path):
                if isinstance(path, int):
                    place = self.layers.of_descriptor(path)
                    if place is None or name == "truncate":
                        return call(path, *args, **options)
                else:
                    place = self.layers.canonical(path, dir_fd, options.get("follow_symlinks", follow_default))
                if self.layers.is_free(place):
                    return call(place, *args, **options)
                if not self.layers.mode(place):
                    raise failure(errno.ENOENT, path)
                if name == "truncate" and not real.access(self.layers.look(place) or place, os.W_OK):
                    raise failure(errno.EACCES, path)
                return call(self.layers.copy_up(place), *args, **options)

        return change

    def _maker(self, name: str) -> Callable[..., Any]:
        call = _function(name)

        def make(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            with _as_called(path):
                return call(self._new(path, dir_fd), *args, **options)

        return make

    def _by_path(self, name: str, other: str) -> Callable[..., Any]:
        change = self._changer(other, True)

        def by_path(fd: int, *args: Any) -> Any:
            return change(fd, *args)

        return by_path

    def _new(self, path: Any, folder: int | None) -> str:
        """Real path for a new file, folder or link called `path`."""
        place = self.layers.canonical(path, folder, follow=False)
        if self.layers.is_free(place):
            return place
        if self.layers.mode(place):
            raise failure(errno.EEXIST, path)
        self.layers.prepare_parent(place, path)
        return self.layers.upper(place)

    # -- names ---------------------------------------------------------------------------------------------

    def unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        """`os.remove` and `os.unlink`."""
        with _as_called(path):
            place = self.layers.canonical(path, dir_fd, follow=False)
            if self.layers.is_free(place):
                real.unlink(place)
            else:
                mode = self._existing(place, path)
                if stat.S_ISDIR(mode):
                    raise failure(errno.EISDIR, path)
                self._drop(place, real.unlink)

    def rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        """`os.rmdir`."""
        with _as_called(path):
            place = self.layers.canonical(path, dir_fd, follow=False)
            if self.layers.is_free(place):
                real.rmdir(place)
            else:
                if not stat.S_ISDIR(self._existing(place, path)):
                    raise failure(errno.ENOTDIR, path)
                if self.layers.names(place):
                    raise failure(errno.ENOTEMPTY, path)
                self._drop(place, real.rmdir)

    def _existing(self, place: str, path: Any) -> int:
        mode = self.layers.mode(place)
        if not mode:
            raise failure(errno.ENOENT, path)
        self.layers.check_folder_writable(place.rpartition("/")[0] or "/", path)
        return mode

    def _drop(self, place: str, remove: Callable[[str], None]) -> None:
        below = self.layers.has_lower(place)
        with contextlib.suppress(FileNotFoundError):
            remove(self.layers.upper(place))
        if below:
            self.layers.hidden.add(place)
        self.layers.own_folders.discard(place)
        self.layers.forget_folders()

    def rename(self, src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        """`os.rename` and `os.replace`; a folder of the user's is copied into scratch first."""
        layers = self.layers
        with _as_called(src, dst):
            old = layers.canonical(src, src_dir_fd, follow=False)
            new = layers.canonical(dst, dst_dir_fd, follow=False)
            if not layers.is_free(old):
                self._existing(old, src)
            elif not layers.mode(old):
                raise failure(errno.ENOENT, src, dst)
            if old == new:
                return
            if within(new, old):
                raise failure(errno.EINVAL, src, dst)
            if layers.is_free(old):
                real.rename(old, self._replaced(old, new, dst))
                return
            target = self._replaced(old, new, dst)
            below = layers.has_lower(old)
            real.rename(layers.copy_up_tree(old), target)
            if below:
                layers.hidden.add(old)
            layers.own_folders = {self._moved(place, old, new) for place in layers.own_folders}
            layers.forget_folders()

    @staticmethod
    def _moved(place: str, old: str, new: str) -> str:
        return new + place[len(old) :] if place == old or place.startswith(old + "/") else place

    def _replaced(self, old: str, new: str, path: Any) -> str:
        """Clear the way for a rename onto `new`; returns its real path."""
        layers = self.layers
        if layers.is_free(new):
            return new
        layers.prepare_parent(new, path)
        is_folder, there = stat.S_ISDIR(layers.mode(old)), layers.mode(new)
        if there and stat.S_ISDIR(there) != is_folder:
            raise failure(errno.ENOTDIR if is_folder else errno.EISDIR, path)
        if there and is_folder and layers.names(new):
            raise failure(errno.ENOTEMPTY, path)
        if layers.has_lower(new):
            layers.hidden.add(new)
        layers.own_folders.discard(new)
        layers.forget_folders()
        return layers.upper(new)

    def link(
        self,
        src: Any,
        dst: Any,
        *,
        src_dir_fd: int | None = None,
        dst_dir_fd: int | None = None,
        follow_symlinks: bool = True,
    ) -> None:
        """`os.link`; the file is copied into scratch first, so that both names share that copy."""
        layers = self.layers
        with _as_called(src, dst):
            place = layers.canonical(src, src_dir_fd, follow_symlinks)
            if not layers.mode(place):
                raise failure(errno.ENOENT, src, dst)
            target = self._new(dst, dst_dir_fd)
            real.link(place if layers.is_free(place) else layers.copy_up(place), target)

    def symlink(self, src: Any, dst: Any, target_is_directory: bool = False, *, dir_fd: int | None = None) -> None:
        """`os.symlink`; the link's text is the program's own."""
        with _as_called(src, dst):
            real.symlink(src, self._new(dst, dir_fd), target_is_directory)
            self.layers.forget_folders()

    # -- folders -------------------------------------------------------------------------------------------

    def listdir(self, path: Any = ".") -> Any:
        """`os.listdir` of what the program sees."""
        return listing(self.layers, path)

    def scandir(self, path: Any = ".") -> Any:
        """`os.scandir` of what the program sees."""
        return scanning(self.layers, path)

    def chdir(self, path: Any) -> None:
        """`os.chdir`, also into a folder that exists only in scratch."""
        if isinstance(path, int):
            real.chdir(path)
            return
        with _as_called(path):
            where = self.layers.look(self.layers.canonical(path))
            if where is None:
                raise failure(errno.ENOENT, path)
            real.chdir(where)

    def getcwd(self) -> str:
        """`os.getcwd` in the program's own terms."""
        return self.layers.working_folder()

    def getcwdb(self) -> bytes:
        """`os.getcwdb` in the program's own terms."""
        return os.fsencode(self.layers.working_folder())


class _as_called:
    """Give an `OSError` the path the program used, not the scratch path."""

    def __init__(self, path: Any, other: Any = None) -> None:
        self.paths: tuple[Any, Any] = (path, other)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, OSError) and error.filename is not None:
            error.filename = self.paths[0]
            if self.paths[1] is not None:
                error.filename2 = self.paths[1]


def _function(name: str) -> Callable[..., Any]:
    """The function of `os` as it was; one that this system lacks is never asked for by `table`."""
    call: Callable[..., Any] = getattr(real, name, real.stat)
    return call
