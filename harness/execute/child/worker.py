"""The worker's loop and the life of one child: see `main`."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import traceback
from typing import Any

from .channel import Channel, connect


def main(arguments: list[str]) -> None:
    """``ADDRESS``: connect, import Warp, then fork (or become) a child per request."""
    address = arguments[0]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.dont_write_bytecode = True
    channel = connect(address)
    channel.send({"type": "hello", "role": "worker", "pid": os.getpid(), "can_fork": hasattr(os, "fork")})
    try:
        importlib.import_module("warp")
        importlib.import_module(__name__.rsplit(".", 1)[0] + ".run")
    except Exception as error:
        detail = "".join(traceback.format_exception_only(type(error), error)).strip()
        channel.send({"type": "unusable", "detail": detail, "executable": sys.executable})
        return
    import warp

    channel.send({"type": "ready", "warp": warp.config.version, "python": sys.version.split()[0]})
    while True:
        request = channel.receive()
        if request is None:
            return
        if request["command"] == "become":
            _child(channel, address, request)
        elif request["command"] == "fork":
            pid = os.fork()
            if pid == 0:
                channel.close()
                _child(None, address, request)
            channel.send({"type": "forked", "pid": pid})
        elif request["command"] == "reap":
            channel.send({"type": "reaped", "status": _reap(request["pid"])})


def _reap(pid: int) -> int:
    """Exit status of a child: a signal as a negative number."""
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError:
        return 0
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _child(channel: Channel | None, address: str, request: dict[str, Any]) -> None:
    """Run one plan; never returns."""
    from .run import execute

    os.setpgid(0, 0) if hasattr(os, "setpgid") else None
    if channel is None:
        channel = connect(address)
        channel.send({"type": "hello", "role": "run", "run": request["run"], "pid": os.getpid()})
    try:
        execute(channel, request)
    except BaseException:
        channel.send({"type": "harness-failure", "detail": traceback.format_exc()})
    os._exit(70)
