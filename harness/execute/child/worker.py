"""The worker's loop and the life of one child: see `main`."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import shutil
import signal
import sys
import threading
import traceback
from typing import Any

from .channel import Channel, connect

_leave = os._exit
"""Ends this process at once; ``os._exit`` itself is watched while a program runs."""


def main(arguments: list[str]) -> None:
    """``ADDRESS SCRATCH``: connect, import Warp, then fork (or become) a child per request.

    Nothing but imports happens here: a device that is initialised before a fork is lost to the child.
    """
    address, scratch = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.dont_write_bytecode = True
    channel = connect(address)
    channel.send({"type": "hello", "role": "worker", "pid": os.getpid(), "can_fork": hasattr(os, "fork")})
    try:
        importlib.import_module("warp")
        importlib.import_module(__name__.rsplit(".", 1)[0] + ".run")
    except Exception as error:
        detail = "".join(traceback.format_exception_only(type(error), error)).strip()
        channel.send({"type": "unusable", "detail": detail})
        return
    import warp

    version = sys.version.split()[0]
    channel.send({"type": "ready", "warp": warp.config.version, "python": version, "platform": sys.platform})
    gc.freeze()  # what Warp's import made is never garbage; children need not look through it again and again
    children: set[int] = set()
    while (request := channel.receive()) is not None:
        if request["command"] == "become":
            _end_with(channel)
            _child(channel, address, request)
        elif request["command"] == "fork":
            pid = os.fork()
            if pid == 0:
                channel.close()
                _child(None, address, request)
            children.add(pid)
            channel.send({"type": "forked", "pid": pid})
        elif request["command"] == "import":
            _import(request["modules"])
            channel.send({"type": "imported"})
        elif request["command"] == "reap":
            channel.send({"type": "reaped", "status": _reap(request["pid"])})
            children.discard(request["pid"])
    _clean_up(children, scratch)


def _import(modules: list[str]) -> None:
    """Import what every later run of the program imports; one that cannot be imported here is left to the program."""
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.freeze()


def _clean_up(children: set[int], scratch: str) -> None:
    """The parent has closed the connection or was killed; in the second case nobody else ends what it started."""
    for pid in children:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    for pid in children:
        _reap(pid)
    shutil.rmtree(scratch, ignore_errors=True)


def _reap(pid: int) -> int:
    """Exit status of a child: a signal as a negative number."""
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError:
        return 0
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _end_with(channel: Channel) -> None:
    """End this process once the parent has closed the connection, whatever the program is doing then."""

    def watch() -> None:
        while not channel.is_closed_by_peer(1.0):
            pass
        _leave(0)

    threading.Thread(target=watch, name="connection", daemon=True).start()


def _child(channel: Channel | None, address: str, request: dict[str, Any]) -> None:
    """Run one plan; never returns."""
    from .run import execute

    if channel is None:  # a fork: its own forks end with it
        os.setpgid(0, 0)
        channel = connect(address)
        channel.send({"type": "hello", "role": "run", "run": request["run"], "pid": os.getpid()})
    try:
        execute(channel, request)
    except BaseException:
        channel.send({"type": "harness-failure", "detail": traceback.format_exc()})
    _leave(70)
