"""How this command was started: the words that start it again from the same folder."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

_AS_MODULE = ["python", "-m", "harness.run"]
_INSTALLED = "warp-debug-gradients"


def command_words() -> list[str]:
    """``python -m harness.run``, ``python3 FOLDER/harness/run.py``, or the name of the installed command."""
    started = Path(sys.argv[0])
    if getattr(sys.modules.get("__main__"), "__spec__", None) is not None:
        return _AS_MODULE
    if started.name == "run.py" and started.resolve().parent == Path(__file__).resolve().parent:
        return [_python(), sys.argv[0]]
    return [_INSTALLED] if started.stem == _INSTALLED else _AS_MODULE


def _python() -> str:
    """The short name of this interpreter where it is the one that is found by it."""
    found = shutil.which("python3")
    is_first = found is not None and Path(found).parent == Path(sys.executable).parent
    return "python3" if is_first else sys.executable
