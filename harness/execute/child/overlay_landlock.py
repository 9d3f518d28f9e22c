"""Linux only: let the kernel refuse writes outside the permitted folders, also those of compiled code.

Landlock needs no privileges and cannot be undone, so it is for a process that runs one program and ends. It is
inherited by children, and holds for the calling thread: call before the program starts threads.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence

from .overlay_layers import real

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38
_ASK_VERSION = 1

_WRITE_FILE = 1 << 1
_TRUNCATE = 1 << 14  # from version 3
_REFER = 1 << 13  # from version 2: rename and link between folders
_FILE_RIGHTS = _WRITE_FILE | _TRUNCATE
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))


class _Ruleset(ctypes.Structure):
    _fields_ = [("handled_access_fs", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def confine(folders: Sequence[str]) -> bool:
    """Permit changes of files below `folders` only. False where the kernel offers no such thing."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    if version < 3:  # without the right to refuse truncation the promise would not hold
        return False
    rights = _FILE_RIGHTS | _REMOVE_AND_MAKE | _REFER
    handled = _Ruleset(rights)
    ruleset = libc.syscall(
        _CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(ctypes.sizeof(handled)), ctypes.c_uint32(0)
    )
    if ruleset < 0:
        return False
    try:
        for folder in folders:
            _permit(libc, ruleset, folder, rights)
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            return False
        return bool(libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0)
    finally:
        real.close(ruleset)


def _permit(libc: ctypes.CDLL, ruleset: int, folder: str, rights: int) -> None:
    try:
        descriptor = real.open(folder, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # a folder that does not exist needs no permission
    try:
        is_folder = os.path.isdir(folder)
        rule = _PathBeneath(rights if is_folder else rights & _FILE_RIGHTS, descriptor)
        libc.syscall(
            _ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0)
        )
    finally:
        real.close(descriptor)
