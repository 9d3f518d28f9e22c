"""Launches built beforehand with ``record_cmd=True``."""

from __future__ import annotations

import functools
from typing import Any

from ..backward import TapeLog
from ..internals import context
from ..recorder import Recorder
from .arguments import Arguments
from .launches import run_launch


class PrebuiltHooks:
    """Wraps the launches and the setters of a command that was built beforehand."""

    def __init__(self, recorder: Recorder, log: TapeLog, arguments: Arguments) -> None:
        self.rec = recorder
        self.log = log
        self.arguments = arguments

    def install(self) -> None:
        """Wrap the class of such commands."""
        rec, cls = self.rec, context.Launch
        original = cls.launch

        def launch(command: Any, *args: Any, **kwargs: Any) -> Any:
            arguments = getattr(command, "_recorded_arguments", None)
            if rec.depth or rec.backward_depth or arguments is None or getattr(command, "adjoint", False):
                return original(command, *args, **kwargs)
            touches = self.arguments.touches(command.kernel, arguments)
            rec.note_kernel(command.kernel)
            info = {"inside_tape": rec.current_tape()}
            count = len(command._recorded_given.get("inputs", ()))
            rec.control.launch_arguments = {
                **command._recorded_given, "inputs": arguments[:count], "outputs": arguments[count:],
            }  # fmt: skip
            run = functools.partial(original, command, *args, **kwargs)
            return run_launch(rec, self.log, "prebuilt-launch", command.kernel, touches, run, info)

        cls.launch = functools.wraps(original)(launch)
        for name in ("set_param_at_index", "set_param_by_name", "set_params"):
            self._wrap_parameter_setter(cls, name)

    def _wrap_parameter_setter(self, cls: Any, name: str) -> None:
        original = getattr(cls, name)

        def setter(command: Any, *args: Any, **kwargs: Any) -> Any:
            arguments = getattr(command, "_recorded_arguments", None)
            if arguments is not None and args:
                if name == "set_params":
                    arguments[:] = list(args[0])
                elif name == "set_param_at_index" and len(args) > 1 and args[0] < len(arguments):
                    arguments[args[0]] = args[1]
                elif name == "set_param_by_name" and len(args) > 1:
                    labels = [a.label for a in command.kernel.adj.args]
                    if args[0] in labels:
                        arguments[labels.index(args[0])] = args[1]
            return original(command, *args, **kwargs)

        setattr(cls, name, functools.wraps(original)(setter))
