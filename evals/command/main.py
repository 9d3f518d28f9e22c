"""Subcommands, and what their failures look like."""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from harness.options import UsageError

_SUBCOMMANDS = {
    "list": ("evals.command.corpus", "the cases"),
    "run": ("evals.command.run", "let an agent work on the cases, and score what it hands in"),
    "report": ("evals.command.report", "tables and pages from the results of a run"),
    "export": ("evals.command.export", "the cases in the common form of evals.json"),
    "validate": ("evals.command.validate", "is every case what it says"),
    "inspect-case": ("evals.command.inspect_case", "what is measured for one case, beside the reference"),
    "make-patch": ("evals.command.make_patch", "write fix.patch from a folder with the mended files"),
    "generate": ("evals.command.generate", "fresh cases from a seed: simulations with faults put in"),
}


def main(arguments: list[str]) -> int:
    """Run one subcommand; returns the exit code: 0 all well, 1 a case or trial failed, 2 usage or own failure."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print("usage: python -m evals.run SUBCOMMAND ...\n")
        for name, (_, what) in _SUBCOMMANDS.items():
            print(f"  {name:13} {what}")
        return 0 if arguments else 2
    if arguments[0] not in _SUBCOMMANDS:
        print(f"There is no subcommand `{arguments[0]}`; there are {', '.join(_SUBCOMMANDS)}.", file=sys.stderr)
        return 2
    run: Callable[[list[str]], int] = importlib.import_module(_SUBCOMMANDS[arguments[0]][0]).run
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return run(arguments[1:])
    except UsageError as error:
        print(error, file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
    return 2


def _interrupt(*_: Any) -> NoReturn:
    """A request to end is handled like Ctrl-C: whatever was started is ended too."""
    raise KeyboardInterrupt
