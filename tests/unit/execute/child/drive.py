"""Runs one program the way a child process does, and writes down what came of it as JSON.

    python drive.py REQUEST.json

The harness is loaded under another name, as in a user's process, and nothing of it but `execute.child` is imported.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

HARNESS = Path(__file__).resolve().parents[4] / "harness"
ALIAS = "_harness_under_test"


def load(name: str) -> ModuleType:
    """Module `name` of `harness.execute.child`, without running `harness/__init__.py`."""
    for dotted, folder in ((ALIAS, HARNESS), (f"{ALIAS}.execute", HARNESS / "execute")):
        if dotted not in sys.modules:
            package = sys.modules[dotted] = ModuleType(dotted)
            package.__path__ = [str(folder)]
    return importlib.import_module(f"{ALIAS}.execute.child.{name}")


def main(request_file: str) -> None:
    request = json.loads(Path(request_file).read_text())
    with open(request["result"], "w") as report:  # opened before anything is confined
        report.write(json.dumps(observe(request)))


def observe(request: dict[str, Any]) -> dict[str, object]:
    """Run the program of `request`; what happened, for `conftest.Outcome`."""
    sys.path.pop(0)
    programs, overrides = load("program"), load("overrides")
    result: dict[str, object] = {"error": None, "traceback": "", "writes": [], "escapes": [], "applied": []}
    overlay = None
    if request["scratch"]:
        overlays = load("overlay")
        overlay = overlays.Overlay(Path(request["scratch"]), [Path(p) for p in request["passthrough"]])
        overlay.install()
        if request["confine"]:
            result["confined"] = overlay.confine()
        sys.modules["overlay_under_test"] = overlay  # programs of the tests that fork reach it under this name
    try:
        program = programs.Program(
            request["script"], request["module"], tuple(request["argv"]), request["cwd"], request["overrides"]
        )
        settings = overrides.Overrides(program.overrides)
        programs.run(program, settings)
    except BaseException as error:
        result["error"] = f"{type(error).__name__}: {error}"
        result["traceback"] = programs.user_traceback(sys.exc_info())
    else:
        settings_applied = [applied.sentence() for applied in settings.applied]
        result["applied"] = settings_applied
    if overlay is not None:
        overlay.uninstall()
        result["writes"] = [list(write) for write in overlay.writes()]
        result["escapes"] = list(overlay.escapes)
    sys.stdout.flush()
    return result


if __name__ == "__main__":
    main(sys.argv[1])
