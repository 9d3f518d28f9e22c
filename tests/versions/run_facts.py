"""Run the facts of one module in this interpreter (Warp and numpy only) and print one JSON object.

    python run_facts.py copies   ->   {"warp": "1.19.0", "facts": {"copy_source_read_again": true, ...}}

A fact that raises is reported as the text of its exception.
"""

import importlib
import inspect
import json
import os
import sys
from pathlib import Path
from types import ModuleType


def main(subject: str) -> None:
    """Warp writes to standard output as it likes; the result goes out on a descriptor of its own."""
    result_stream = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import warp as wp

    wp.config.quiet = True
    wp.set_device("cpu")
    observed = observe(importlib.import_module(f"facts.{subject}"))
    with result_stream:
        json.dump({"warp": wp.__version__, "facts": observed}, result_stream)


def observe(module: ModuleType) -> "dict[str, bool | str]":
    """Call every public function of the module that takes nothing and promises a bool."""
    observed: dict[str, bool | str] = {}
    for name, function in vars(module).items():
        if not inspect.isfunction(function) or name.startswith("_") or function.__module__ != module.__name__:
            continue
        signature = inspect.signature(function)
        if signature.return_annotation is not bool or signature.parameters:
            continue
        try:
            observed[name] = bool(function())
        except Exception as error:
            observed[name] = f"{type(error).__name__}: {error}"
    return observed


if __name__ == "__main__":
    main(sys.argv[1])
