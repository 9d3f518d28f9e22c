"""The copy that the model works in, and the paths that lead out of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.options import UsageError

MAX_FILES = 20_000
MAX_BYTES = 500 * 2**20

_LEFT_OUT = {
    ".git", ".hg", ".svn", ".tox", ".nox", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache",
    ".pytest_cache", ".hypothesis", ".kernel_cache", "venv",
}  # fmt: skip


class OutsideWorkspace(Exception):
    """A path that does not lead to a place inside; the message is for the model."""


@dataclass(frozen=True)
class Workspace:
    """A folder whose files a model may name. `resolve` is the only way to a file in it."""

    root: Path

    def resolve(self, given: str) -> Path:
        """The real place of a path relative to the workspace, which need not exist.

        Raises:
            OutsideWorkspace: it is absolute, leads out of the workspace (also through a link), or is no path.
        """
        if not given or "\0" in given or len(given) > 1000:
            raise OutsideWorkspace("A path has 1 to 1000 characters and no zero byte.")
        if os.path.isabs(given) or given.startswith("~"):
            raise OutsideWorkspace(f"`{given}` is not relative to the workspace; paths look like `folder/file.py`.")
        root = os.path.realpath(self.root)
        try:
            real = os.path.realpath(os.path.join(root, given))
        except (OSError, ValueError):
            raise OutsideWorkspace(f"`{given}` is no path.") from None
        if real != root and not real.startswith(root + os.sep):
            raise OutsideWorkspace(f"`{given}` leads out of the workspace; only files inside it can be used.")
        return Path(real)

    def existing_file(self, given: str) -> Path:
        """The same for a regular file that is there.

        Raises:
            OutsideWorkspace: also if there is no such file, or it is a folder, pipe, socket or device.
        """
        path = self.resolve(given)
        try:
            mode = path.stat().st_mode
        except OSError:
            raise OutsideWorkspace(f"There is no file `{given}`.") from None
        if not stat.S_ISREG(mode):
            raise OutsideWorkspace(f"`{given}` is {'a folder' if stat.S_ISDIR(mode) else 'no regular file'}.")
        return path

    def relative(self, path: Path) -> str:
        """As the model names it."""
        return path.relative_to(os.path.realpath(self.root)).as_posix()

    def files(self) -> Iterator[str]:
        """Regular files, sorted, relative; links and what Python leaves behind are left out."""
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
            for name in sorted(names):
                path = Path(folder, name)
                with contextlib.suppress(OSError):
                    if stat.S_ISREG(path.lstat().st_mode):
                        yield path.relative_to(self.root).as_posix()


def replace_file(path: Path, data: bytes) -> None:
    """Write a file in one step. Another name of the old one (a hard link) keeps the old contents."""
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def copy_project(source: Path, target: Path) -> None:
    """Copy a project without version control, environments and caches. Links that lead inside it stay links inside.

    Raises:
        UsageError: it is too large; the message says what to do.
    """
    source = source.resolve()
    count = size = 0
    for folder, folders, names in os.walk(source):
        here = Path(folder)
        there = target / here.relative_to(source)
        there.mkdir(parents=True, exist_ok=True)
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = [name for name in folders if name not in links and not _is_left_out(here / name, target)]
        for name in [*names, *links]:
            path = here / name
            if path.is_symlink():
                _copy_link(path, there / name, source)
                continue
            try:
                info = path.lstat()
                if not stat.S_ISREG(info.st_mode):
                    continue
                count, size = count + 1, size + info.st_size
                _check_size(source, count, size)
                shutil.copy2(path, there / name)
            except OSError as error:
                raise UsageError(f"`{path}` cannot be copied ({error.strerror}).") from None


def _is_left_out(folder: Path, target: Path) -> bool:
    if folder.name in _LEFT_OUT or folder.name.startswith(".venv") or (folder / "pyvenv.cfg").exists():
        return True
    return target.resolve().is_relative_to(folder.resolve())


def _copy_link(link: Path, copy: Path, source: Path) -> None:
    real = Path(os.path.realpath(link))
    leads_to: str | Path = real
    if real.is_relative_to(source):
        leads_to = os.path.relpath(real, link.parent)
    with contextlib.suppress(OSError):
        copy.symlink_to(leads_to)


def _check_size(source: Path, count: int, size: int) -> None:
    if count > MAX_FILES or size > MAX_BYTES:
        raise UsageError(
            f"`{source}` has more than {MAX_FILES} files or {MAX_BYTES // 2**20} MiB, too much to work on a copy of. "
            "Name the folder that belongs to the program with --root."
        )
