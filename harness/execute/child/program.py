"""Runs the user's program in this process as `python script.py` or `python -m module` would.

The caller has removed its own first entry of `sys.path`. `run` leaves the program's `__main__` registered, because
classes and kernels of the program refer to it after its last line.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import os
import pkgutil
import sys
from dataclasses import dataclass, field
from types import CodeType, ModuleType
from typing import Any

from .overrides import Overrides
from .program_traceback import user_traceback
from .standard_input import InputRequested, NoInput

__all__ = ["InputRequested", "Program", "ProgramNotFound", "run", "user_traceback"]


class ProgramNotFound(Exception):
    """There is no such script or module; the message is for the user."""


@dataclass(frozen=True)
class Program:
    """What to run: one of `script` (a file, or a folder or zip file with `__main__.py`) and `module`.

    `argv` are the program's own arguments. `cwd` None leaves the working folder as it is. `overrides` maps `NAME`
    or `module.NAME` to the text of a value, see `overrides`.
    """

    script: str | None
    module: str | None
    argv: tuple[str, ...] = ()
    cwd: str | None = None
    overrides: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Main:
    """The main module before it runs."""

    code: CodeType
    file: str
    argv0: str
    path0: str | None
    spec: importlib.machinery.ModuleSpec | None
    loader: Any
    package: str | None


def run(program: Program, overrides: Overrides | None = None) -> None:
    """Run `program` to its end; whatever it raises passes through, `SystemExit` included.

    Args:
        overrides: built from `program.overrides`; pass one to read `applied` afterwards.

    Raises:
        ProgramNotFound: no such script or module.
        OverrideError: an override that names nothing (for the main program, before any of it runs).
        InputRequested: the program reads its standard input.
    """
    overrides = overrides if overrides is not None else Overrides(program.overrides)
    if program.cwd is not None:
        os.chdir(program.cwd)
    sys.argv[:] = [program.script or "-m", *program.argv]
    standard_input, sys.stdin = sys.stdin, NoInput()
    overrides.install(program.module)
    try:
        main = _find_script(program.script, overrides) if program.script else _find_module(program.module, overrides)
        _execute(main)
        overrides.check()
    finally:
        overrides.uninstall()
        sys.stdin = standard_input


def _execute(main: _Main) -> None:
    module = ModuleType("__main__")
    module.__dict__.update(
        __builtins__=builtins,
        __file__=main.file,
        __cached__=None if main.spec is None else main.spec.cached,
        __spec__=main.spec,
        __loader__=main.loader,
        __package__=main.package,
        __annotations__={},
    )
    sys.modules["__main__"] = module
    sys.argv[0] = main.argv0
    exec(main.code, module.__dict__)


def _find_script(script: str, overrides: Overrides) -> _Main:
    if not os.path.exists(script):
        raise ProgramNotFound(f"There is no file {script} in {os.getcwd()}.")
    importer = pkgutil.get_importer(os.path.abspath(script))
    if os.path.isdir(script) or not isinstance(importer, (type(None), importlib.machinery.FileFinder)):
        return _find_archive(script, overrides)
    file = os.path.abspath(script)
    with open(file, "rb") as stream:
        source = stream.read()
    path0 = os.path.dirname(os.path.realpath(script))
    _put_first(path0)
    loader = importlib.machinery.SourceFileLoader("__main__", file)
    return _Main(overrides.compile_main(source, file), file, script, path0, None, loader, None)


def _find_archive(script: str, overrides: Overrides) -> _Main:
    """A folder or zip file: `python FOLDER` runs its `__main__.py`, with the folder first on the path."""
    spec = importlib.machinery.PathFinder.find_spec("__main__", [os.path.abspath(script)])
    if spec is None or spec.loader is None:
        raise ProgramNotFound(f"There is no `__main__.py` in {script}.")
    _put_first(os.path.abspath(script))
    return _from_spec(spec, script, overrides)


def _find_module(name: str | None, overrides: Overrides) -> _Main:
    if not name:
        raise ProgramNotFound("There is neither a script nor a module to run.")
    _put_first(os.getcwd())
    spec = _spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _spec(f"{name}.__main__")
    if spec is None or spec.loader is None or not hasattr(spec.loader, "get_code"):
        raise ProgramNotFound(f"There is no module `{name}` that can be run, seen from {os.getcwd()}.")
    return _from_spec(spec, spec.origin or name, overrides)


def _spec(name: str) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            return None
        raise  # the package is there, and importing it fails: the user's own error


def _from_spec(spec: importlib.machinery.ModuleSpec, argv0: str, overrides: Overrides) -> _Main:
    loader: Any = spec.loader
    file = spec.origin or argv0
    source = loader.get_data(file) if file.endswith(".py") else None
    code = overrides.compile_main(source, file) if source is not None else loader.get_code(spec.name)
    package = spec.parent if spec.parent is not None else ""
    return _Main(code, file, argv0, None, spec, loader, package)


def _put_first(folder: str) -> None:
    """What Python does with `sys.path` before it runs a program, unless told to be safe (`-P`)."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, folder)
