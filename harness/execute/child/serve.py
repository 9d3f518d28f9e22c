"""A program stopped at one point serves evaluations: each is a fork that changes the parameter and runs on.

Everything before the point (imports, set-up, earlier iterations) is paid once, so an evaluation costs what the
iteration's forward pass costs.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import select
import signal
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ...record import memory
from ...record.events import Event, Touches
from ...record.plan import objective_from_json
from . import warm_up

if TYPE_CHECKING:
    from .control import Control


_HOPELESS = 3
"""Runs of one batch that may take too long before the rest of it is not started."""


def serve(control: Control, event: Event, touches: Touches) -> None:
    """Answer the parent's requests until it says to go on. Returns in the server, and in each evaluating fork."""
    server = os.getpid()
    warm_up.load_modules(control.modules)
    # A collection in a fork would write to every object of the program and so copy all its memory pages.
    gc.freeze()
    try:
        _answer(control, event, touches)
    finally:
        if os.getpid() == server:
            gc.unfreeze()


def _answer(control: Control, event: Event, touches: Touches) -> None:
    channel = control.channel
    assert channel is not None
    channel.send({"type": "paused", "event": event.seq})
    while True:
        request = channel.receive()
        if request is None:
            control.has_left = True
            os._exit(0)
        if request["command"] == "continue":
            return
        if request["command"] == "contents":
            channel.send(_contents(control, touches, request))
        elif request["command"] == "evaluate":
            if _evaluate(control, touches, request):
                return
        elif request["command"] == "record":
            if _record(control, request):
                return
        elif request["command"] == "local":
            check = functools.partial(_local, control, event, touches, request)
            channel.send(_in_fork(check, request["timeout"]))


def _contents(control: Control, touches: Touches, request: dict[str, Any]) -> dict[str, Any]:
    array = control.array_of(request["buffer"], touches)
    if array is None:
        return {"type": "contents", "found": False}
    np.save(request["file"], memory.host_view(array))
    return {"type": "contents", "found": True, "floating": memory.is_floating(array)}


def _local(control: Control, event: Event, touches: Touches, request: dict[str, Any]) -> dict[str, Any]:
    from .local import local_check

    return local_check(control, event, touches, request)


def _evaluate(control: Control, touches: Touches, request: dict[str, Any]) -> bool:
    """Run a batch of forks. Returns True in a fork (which must run on), False in the server."""
    pending = list(request["runs"])
    running: dict[int, dict[str, Any]] = {}
    results: list[dict[str, Any]] = []
    while pending or running:
        if sum(r["status"] == "timeout" for r in results) >= _HOPELESS:
            results += [{"status": "timeout", "id": run["id"]} for run in pending]
            pending.clear()
        while pending and len(running) < request["jobs"]:
            run = pending.pop(0)
            point = np.load(run["file"]) if run.get("file") else None
            reader, writer = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(reader)
                _become_evaluation(control, touches, request, (run["buffer"], point), writer)
                return True
            os.close(writer)
            running[reader] = {"pid": pid, "id": run["id"], "deadline": time.monotonic() + request["timeout"]}
        _collect(running, results)
    assert control.channel is not None
    control.channel.send({"type": "evaluated", "results": results})
    return False


def _record(control: Control, request: dict[str, Any]) -> bool:
    """Go on recording in a fork, under another plan. Returns True in the fork, False in the server once it ended."""
    pid = os.fork()
    if pid == 0:
        os.makedirs(request["out"], exist_ok=True)
        control.plan.out = request["out"]
        control.plan.iterations = request["iterations"]
        control.take_over(os.path.join(request["out"], "overlay"))
        return True
    deadline = time.monotonic() + request["timeout"]
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    assert control.channel is not None
    control.channel.send({"type": "recorded"})
    return False


def _become_evaluation(
    control: Control, touches: Touches, request: dict[str, Any], change: tuple[str, np.ndarray | None], writer: int
) -> None:
    from .control import Evaluation

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    control.take_over(os.path.join(control.plan.out, f"overlay-{os.getpid()}"))
    objective = objective_from_json(request["objective"])
    control.evaluate(Evaluation(objective, lambda body: _write_all(writer, body)))
    control.recorder.is_full = False
    needs_arrays = objective.report or any(t.increment for t in objective.contributions)
    control.recorder.is_bare = not control.interventions and not needs_arrays
    control.recorder.plan.iterations = 10**9
    buffer, point = change
    if point is not None:
        control.put(control.array_of(buffer, touches), point)


def _collect(running: dict[int, dict[str, Any]], results: list[dict[str, Any]]) -> None:
    """Wait for the next result, or for a deadline to pass."""
    nearest = min(entry["deadline"] for entry in running.values())
    ready, _, _ = select.select(list(running), [], [], max(0.0, min(nearest - time.monotonic(), 1.0)))
    now = time.monotonic()
    for reader in list(running):
        entry = running[reader]
        if reader in ready:
            body = _read_line(reader)
            _, status = os.waitpid(entry["pid"], 0)
            result = json.loads(body) if body else {"status": "crash", "detail": f"exit {status}"}
        elif now > entry["deadline"]:
            os.kill(entry["pid"], signal.SIGKILL)
            os.waitpid(entry["pid"], 0)
            result = {"status": "timeout"}
        else:
            continue
        os.close(reader)
        del running[reader]
        results.append({**result, "id": entry["id"]})


def _in_fork(action: Any, timeout: float) -> dict[str, Any]:
    """Run an action in a fork that may crash; the server only sees its result."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            body = action()
        except Exception as error:
            body = {"status": "failed", "detail": f"{type(error).__name__}: {error}"}
        _write_all(writer, body)
        os._exit(0)
    os.close(writer)
    entry = {"pid": pid, "id": 0, "deadline": time.monotonic() + timeout}
    running, results = {reader: entry}, list[dict[str, Any]]()
    while running:
        _collect(running, results)
    return results[0]


def _write_all(writer: int, body: dict[str, Any]) -> None:
    with os.fdopen(writer, "wb") as stream:
        stream.write(json.dumps(body).encode() + b"\n")


def _read_line(reader: int) -> bytes:
    """One line, or what there is of it: the end of the stream may never come where the program has forked."""
    line = b""
    while not line.endswith(b"\n") and (chunk := os.read(reader, 65536)):
        line += chunk
    return line
