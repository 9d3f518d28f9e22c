"""Puts the recorder between the program and Warp: every entry point through which data moves is wrapped here.

Functions are replaced in every module of Warp that holds a reference to them, before the user's code is imported.
"""

from __future__ import annotations

from ..backward import TapeLog
from ..internals import context
from ..recorder import Recorder
from .arguments import Arguments
from .arrays import ArrayHooks
from .copies import CopyHooks
from .entry_points import named_arguments, replace_everywhere
from .launches import LaunchHooks
from .natives import NativeHooks
from .prebuilt import PrebuiltHooks
from .tapes import TapeHooks

__all__ = ["context", "install", "named_arguments", "replace_everywhere"]


def install(recorder: Recorder, log: TapeLog) -> None:
    """Wrap Warp's entry points for one recorder; meant to be called once per process."""
    arguments = Arguments(recorder)
    ArrayHooks(recorder, log).install()
    LaunchHooks(recorder, log, arguments).install()
    PrebuiltHooks(recorder, log, arguments).install()
    CopyHooks(recorder, log).install()
    TapeHooks(recorder, log).install()
    NativeHooks(recorder).install()
    arguments.install()
    recorder.reported.install()
