"""What the command itself needs, and what to say where it is missing. Imports nothing heavy."""

from __future__ import annotations

import importlib.util
import sys

from harness.options import UsageError

NEEDED = ("numpy", "pydantic", "rich", "jinja2")


def check_packages(*further: str) -> None:
    """Check that the interpreter of the command has what it needs; `further` names modules a subcommand needs besides.

    Raises:
        UsageError: something is missing; the message says how to install it.
    """
    missing = [module for module in (*NEEDED, *further) if importlib.util.find_spec(module) is None]
    if missing:
        names = " and ".join(f"`{m}`" for m in missing)
        raise UsageError(
            f"This command needs {names}, missing in {sys.executable}. Install: {sys.executable} -m pip install "
            f"{' '.join(missing)}. Or run it with another interpreter, and name this one with --python: "
            "the program itself needs warp-lang and numpy only."
        )
