"""Starts one command where it can change nothing outside the folders it is given. Run by path, in a process of its own.

Linux only, standard library only. The argument is the file descriptor of a request in JSON (see `Sandbox` in
`sandbox.py`). What happens is told on another one as JSON lines: `{"confined": "namespaces"}`, then `{"exit": code}`,
negative for a signal; or `{"unconfined": why}` if nothing was started.

Namespaces first: every file system is made read-only except the given folders, the command's processes are alone in
their process space and end together, and there is no network but loopback. Where the system does not permit that,
Landlock keeps writes inside the folders; its processes are then ended by their group and by who started them.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import struct
import sys
from typing import Any, NoReturn

_NEW_USER, _NEW_NS, _NEW_PID, _NEW_IPC, _NEW_NET = 0x10000000, 0x00020000, 0x20000000, 0x08000000, 0x40000000
_MS_REC, _MS_PRIVATE, _MS_BIND = 0x4000, 0x40000, 0x1000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_READ_ONLY = 1
_DIE_WITH_PARENT, _NO_NEW_PRIVILEGES = 1, 38
_SHOW_FLAGS, _SET_FLAGS, _IFF_UP = 0x8913, 0x8914, 1


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


class _NotPermitted(Exception):
    """The system does not offer this way of confining."""


_libc = ctypes.CDLL(None, use_errno=True)


def main() -> NoReturn:
    """Carry out the request; never returns."""
    with os.fdopen(int(sys.argv[1]), encoding="utf-8") as given:
        request = json.loads(given.read())
    os.set_inheritable(request["status_fd"], False)  # the command must not be able to speak for us
    sys.path.insert(0, request["project"])
    with os.fdopen(request["status_fd"], "w", encoding="utf-8") as status:
        if request["mode"] == "landlock":
            _with_landlock(request, status)
        _with_namespaces(request, status)


def _with_namespaces(request: dict[str, Any], status: Any) -> NoReturn:
    try:
        _enter_namespaces(request["network"])
        first = os.fork()
        if first:
            os.waitpid(first, 0)
            os._exit(0)
        _libc.prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        _arrange_mounts(request)
        _tell(status, confined="namespaces")
    except (_NotPermitted, OSError) as error:
        _tell(status, unconfined=str(error))
        os._exit(125)
    # This process is the first of its process space: when it ends, all others are killed.
    _tell(status, exit=_run(request))
    os._exit(0)


def _with_landlock(request: dict[str, Any], status: Any) -> NoReturn:
    from harness.execute.child.overlay_landlock import confine

    if not confine([*request["writable"], "/dev/null", "/dev/tty", "/dev/zero"]):
        _tell(status, unconfined="no Landlock")
        os._exit(125)
    _tell(status, confined="landlock")
    _tell(status, exit=_run(request))
    os._exit(0)


def _tell(status: Any, **facts: Any) -> None:
    status.write(json.dumps(facts) + "\n")
    status.flush()


def _enter_namespaces(has_network: bool) -> None:
    uid, gid = os.getuid(), os.getgid()
    flags = _NEW_USER | _NEW_NS | _NEW_PID | _NEW_IPC | (0 if has_network else _NEW_NET)
    _check(_libc.unshare(flags), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    if not has_network:
        with contextlib.suppress(OSError):
            _raise_loopback()


def _raise_loopback() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        named = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(made, _SHOW_FLAGS, named))[1]
        fcntl.ioctl(made, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def _arrange_mounts(request: dict[str, Any]) -> None:
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    opened = list(request["writable"])
    for lower, upper, work in request["overlays"]:
        try:
            _mount("overlay", lower, "overlay", 0, f"lowerdir={lower},upperdir={upper},workdir={work},userxattr")
        except _NotPermitted:
            _mount(upper, lower, None, _MS_BIND)  # hides what is below; it is made again
        opened.append(lower)
    _set_attributes("/", make_read_only=True)
    for folder in opened:
        if folder in request["writable"]:
            _mount(folder, folder, None, _MS_BIND)
        _set_attributes(folder, make_read_only=False)
    quiet = _MS_NOSUID | _MS_NODEV
    with contextlib.suppress(_NotPermitted):
        _mount("tmpfs", "/dev/shm", "tmpfs", quiet, "size=256m")
    # Without a view of other processes there is nothing to read from them. A container may refuse the mount; then
    # they are other users' processes as far as the kernel is concerned, and as closed.
    with contextlib.suppress(_NotPermitted):
        _mount("proc", "/proc", "proc", quiet | _MS_NOEXEC)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    given = [None if value is None else os.fsencode(value) for value in (source, target, kind, data)]
    _check(_libc.mount(given[0], given[1], given[2], ctypes.c_ulong(flags), given[3]), f"mount {target}")


def _set_attributes(path: str, make_read_only: bool) -> None:
    change = _MountAttributes(*((_READ_ONLY, 0) if make_read_only else (0, _READ_ONLY)), 0, 0)
    done = _libc.syscall(
        _MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), _AT_RECURSIVE, ctypes.byref(change), ctypes.sizeof(change)
    )
    _check(done, f"mount_setattr {path}")


def _check(result: int, what: str) -> None:
    if result < 0:
        raise _NotPermitted(f"{what}: {os.strerror(ctypes.get_errno())}")


def _run(request: dict[str, Any]) -> int:
    """Start the command and wait for it; the exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            _start(request)
        except OSError as error:
            os.write(2, f"{request['command'][0]}: {error.strerror}\n".encode())
        os._exit(127)
    while True:
        ended, how = os.waitpid(-1, 0)  # as the first process it also inherits orphans
        if ended == child:
            return os.WEXITSTATUS(how) if os.WIFEXITED(how) else -os.WTERMSIG(how)


def _start(request: dict[str, Any]) -> NoReturn:
    for name, limit in request["limits"].items():
        with contextlib.suppress(ValueError, OSError):
            kind = getattr(resource, name)
            hard = resource.getrlimit(kind)[1]
            bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(kind, (bound, bound))
    _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if not request["may_leave_group"]:
        # One signal then ends everything, and many sessions cannot crowd out the process that watches.
        from harness.agent.stay_in_group import stay_in_group

        stay_in_group()
    os.chdir(request["cwd"])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execvp(request["command"][0], request["command"])


if __name__ == "__main__":
    main()
