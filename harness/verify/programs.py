"""The two programs: files or folders, and the script in a folder that is meant."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from pathlib import Path

from ..execute.session import Target
from ..options import UsageError
from .settings import VerifySettings
from .sources import source_files


@dataclass(frozen=True)
class Program:
    """One of the two."""

    given: str
    """Path as it was given."""
    root: Path
    """The folder, or the file, absolute."""
    target: Target

    @property
    def script(self) -> str:
        """What is run: relative to a folder, else the name of the file."""
        if not self.root.is_dir():
            return self.root.name
        return self.target.label


def programs(before: Path, after: Path, settings: VerifySettings) -> tuple[Program, Program]:
    """Both programs, with what to run in them.

    Raises:
        UsageError: a path is missing, the two are not of one sort, or the script to run is not known.
    """
    for path in (before, after):
        if not path.exists():
            raise UsageError(f"There is no `{path}`. Paths are relative to {os.getcwd()}.")
    if before.is_dir() != after.is_dir():
        raise UsageError("BEFORE and AFTER are both files or both folders.")
    if before.resolve() == after.resolve():
        raise UsageError(f"BEFORE and AFTER are the same, `{before}`. Keep a copy of the program as it was.")
    if not before.is_dir():
        if settings.entry or settings.module:
            raise UsageError("--entry and -m name the program in a folder; BEFORE and AFTER are files.")
        return _file(before, settings), _file(after, settings)
    if settings.module:
        return _folder(before, None, settings), _folder(after, None, settings)
    entry = settings.entry or _only_script(before, after)
    for folder in (before, after):
        if not (folder / entry).exists():
            raise UsageError(f"There is no `{entry}` in `{folder}`. Name the script that trains with --entry.")
    return _folder(before, entry, settings), _folder(after, entry, settings)


def _file(path: Path, settings: VerifySettings) -> Program:
    return Program(
        str(path), path.resolve(), Target(str(path), None, settings.argv, os.getcwd(), dict(settings.overrides))
    )


def _folder(path: Path, entry: str | None, settings: VerifySettings) -> Program:
    root = path.resolve()
    return Program(str(path), root, Target(entry, settings.module, settings.argv, str(root), dict(settings.overrides)))


def _only_script(before: Path, after: Path) -> str:
    """The one script that both folders have and that runs by itself."""
    common = [f for f in source_files(before) if f.endswith(".py") and (after / f).is_file()]
    traits = {f: _traits(before / f) | _traits(after / f) for f in common}
    for wanted in ({"main", "tape"}, {"main"}, {"tape"}):
        found = [f for f in common if wanted <= traits[f]]
        if len(found) == 1:
            return found[0]
        if found:
            break
    choices = found or common
    listed = f" It may be one of {', '.join(choices[:8])}." if choices else ""
    raise UsageError(f"Which script of `{before}` is to be run? Name it with --entry SCRIPT.{listed}")


def _traits(file: Path) -> set[str]:
    """ "main": it has an `if __name__ == "__main__"`. "tape": it works with a tape at its top level or below."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return set()
    traits = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and "__name__" in ast.unparse(node) and "__main__" in ast.unparse(node):
            traits.add("main")
        if isinstance(node, ast.Attribute) and node.attr in ("Tape", "backward"):
            traits.add("tape")
    return traits
