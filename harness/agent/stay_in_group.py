"""Linux: keep a process and all it starts in their process group, so that one signal reaches every one of them.

A seccomp filter lets `setsid` and `setpgid` fail with `EPERM`. It needs no privileges and cannot be undone. Standard
library only: it runs in the process that is to be kept.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

_SET_SECCOMP, _FILTER = 22, 2
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets of what the filter may look at
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000 | errno.EPERM

# machine -> how the kernel names it, and its numbers of setsid and setpgid
_SYSTEM_CALLS = {"x86_64": (0xC000003E, 112, 109), "aarch64": (0xC00000B7, 157, 154)}


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def stay_in_group() -> bool:
    """Install the filter; `PR_SET_NO_NEW_PRIVS` has to be set. False where it cannot be."""
    known = _SYSTEM_CALLS.get(platform.machine())
    if known is None:
        return False
    architecture, setsid, setpgid = known
    instructions = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 0, 4, architecture),  # another system call table: nothing to compare with
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 1, 0, setsid),
        (_EQUAL, 0, 1, setpgid),
        (_RETURN, 0, 0, _FAIL),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    buffer = ctypes.create_string_buffer(code)
    program = _Program(len(instructions), ctypes.cast(buffer, ctypes.c_void_p))
    return bool(ctypes.CDLL(None).prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0) == 0)
