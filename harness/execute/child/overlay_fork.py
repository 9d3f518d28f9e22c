"""Giving a forked process its own scratch folder with the state of its parent."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Sequence

from .overlay_layers import Layers, copy_bytes, make_folders, real, within


def move_to(layers: Layers, scratch: str, temporary: str, free: Sequence[str]) -> None:
    """Copy what the program wrote so far into `scratch` and use that from now on.

    Files of the old temporary folder become ordinary overlaid files under their old names, so the program keeps
    seeing them while its parent does with its own as it likes.
    """
    old_root, old_scratch = layers.upper_root, layers.scratch
    working = layers.working_folder()
    layers.fenced.append(old_scratch)
    layers.root_at(scratch, free)
    copy_tree(old_root, layers.upper_root)
    if real.access(temporary, os.F_OK):
        make_folders(layers.upper(temporary).rpartition("/")[0])
        copy_tree(temporary, layers.upper(temporary))
        layers.hidden.add(temporary)
    _reopen(layers, old_root, old_scratch)
    if within(real.getcwd(), old_scratch):
        real.chdir(layers.look(working) or working)


def copy_tree(source: str, target: str) -> None:
    """Copy a folder with links, modes and times."""
    make_folders(target)
    with real.scandir(source) as entries:
        for entry in entries:
            here, there = entry.path, f"{target}/{entry.name}"
            info = real.lstat(here)
            if stat.S_ISLNK(info.st_mode):
                real.symlink(real.readlink(here), there)
                continue
            if stat.S_ISDIR(info.st_mode):
                copy_tree(here, there)
            elif stat.S_ISREG(info.st_mode):
                copy_bytes(here, there)
            else:
                continue
            real.chmod(there, stat.S_IMODE(info.st_mode))
            real.utime(there, ns=(info.st_atime_ns, info.st_mtime_ns))


def _reopen(layers: Layers, old_root: str, old_scratch: str) -> None:
    """Files opened before the fork share their position with the parent, and writes would land in its files."""
    try:
        descriptors = [int(name) for name in real.listdir("/proc/self/fd")]
    except OSError:
        return
    for descriptor in descriptors:
        if descriptor <= 2:
            continue
        try:
            path = str(real.readlink(f"/proc/self/fd/{descriptor}"))
            flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
            if not stat.S_ISREG(real.fstat(descriptor).st_mode):
                continue
        except OSError:
            continue
        if within(path, old_root):
            path = layers.upper_root + path[len(old_root) :]
        elif within(path, old_scratch):
            path = layers.upper(path)
        elif flags & os.O_ACCMODE != os.O_RDONLY:
            continue  # not the program's: its writes are all in scratch
        _reopen_one(descriptor, path, flags)


def _reopen_one(descriptor: int, path: str, flags: int) -> None:
    try:
        fresh = real.open(path, flags & (os.O_ACCMODE | os.O_APPEND))
    except OSError:
        return  # deleted meanwhile: the shared one still works
    real.lseek(fresh, real.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_SET)
    real.dup2(fresh, descriptor, real.get_inheritable(descriptor))
    real.close(fresh)
