"""One execution of the user's program under a plan."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

from ...record import capture, hooks, interop, passes
from ...record.backward import TapeLog
from ...record.plan import plan_from_json
from ...record.recorder import Recorder
from . import program as programs
from .channel import Channel
from .control import Control
from .lines import Lines
from .overlay import Overlay, default_passthrough, warp_cache_folder
from .overrides import OverrideError, Overrides

_PRIVATE_NAME = f"{programs.InputRequested.__module__}."
"""How a traceback would name the module of an exception of ours."""


def execute(channel: Channel, request: dict[str, Any]) -> None:
    """Run the program of ``request`` to where its plan ends; the process ends in here."""
    plan = plan_from_json(request["plan"])
    os.makedirs(plan.out, exist_ok=True)
    _bound_memory(request.get("max_memory"))
    control = Control(plan, channel)
    recorder = Recorder(plan, control)
    control.modules = request.get("modules", [])
    log = TapeLog(recorder)
    if plan.level == "passes":
        passes.install(recorder)
        control.attach(recorder, log)
    else:
        hooks.install(recorder, log)
        control.attach(recorder, log)
        capture.install(recorder)
        interop.install(recorder)
    signal.signal(signal.SIGTERM, lambda *_: control.finish("timeout"))
    control.watch_abrupt_exit()
    _capture_output(plan.out)
    if not request.get("allow_writes"):
        control.overlay = _keep_writes_apart(Path(request["scratch"]), plan.out)
    if plan.trace_lines:
        recorder.lines = Lines(recorder.sites.is_users)
        recorder.lines.install(sees_kernels=plan.trace_kernels)
    program = programs.Program(**{**request["program"], "argv": tuple(request["program"]["argv"])})
    try:
        control.overrides = Overrides(program.overrides)
        programs.run(program, control.overrides)
    except SystemExit as error:
        control.finish("exit", "0" if error.code is None else str(error.code))
    except BaseException as error:
        status = type(error).__name__ if _is_ours(error) else "error"
        control.finish(status, programs.user_traceback(sys.exc_info()).replace(_PRIVATE_NAME, ""))
    control.finish("completed")


def _keep_writes_apart(scratch: Path, folder: str) -> Overlay:
    """An installed overlay, sealed by the kernel where it can. The scratch folder of the session stays writable."""
    with contextlib.suppress(OSError):
        os.makedirs(warp_cache_folder(), exist_ok=True)  # could not be made later
    overlay = Overlay(Path(folder) / "overlay", [scratch, *default_passthrough()])
    overlay.install()
    overlay.confine()
    return overlay


def _is_ours(error: BaseException) -> bool:
    """Errors with a meaning of their own."""
    return isinstance(error, (programs.InputRequested, programs.ProgramNotFound, OverrideError))


def _capture_output(folder: str) -> None:
    """The program's output goes to files beside its recording."""
    for descriptor, name in ((1, "stdout.txt"), (2, "stderr.txt")):
        target = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(target, descriptor)
        os.close(target)


def _bound_memory(limit: int | None) -> None:
    """Bound the child's private memory, in bytes, where the platform can."""
    if limit is None:
        return
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
