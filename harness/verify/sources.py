"""Files of the two programs: added, deleted, changed, and the difference as text."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "build", "dist"})
MOST_BYTES = 1_000_000
"""Larger files are compared, and left out of the difference."""


@dataclass(frozen=True)
class FileChanges:
    """Paths relative to the folders, with forward slashes; for two files the name of the second."""

    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    edited: tuple[tuple[str, Path, Path], ...] = ()
    """Of each file that differs: the name to show, and both paths."""
    diff: str = ""

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of the files that differ."""
        return tuple(name for name, _, _ in self.edited)


def source_files(folder: Path) -> list[str]:
    """Every file below a folder but caches, hidden ones and skills of an assistant, in alphabetical order."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(
            f
            for f in folders
            if f not in SKIPPED_FOLDERS and not f.startswith(".") and not (Path(parent) / f / "SKILL.md").exists()
        )
        for name in files:
            if not name.startswith(".") and not name.endswith((".pyc", ".pyo")):
                found.append((Path(parent) / name).relative_to(folder).as_posix())
    return sorted(found)


def pairs(before: Path, after: Path, used: Iterable[str] = ()) -> list[tuple[str, Path, Path]]:
    """Files that both programs have: the name to show, and both paths.

    Of two single files in two folders, those beside them that the programs use (`used`, relative) count too.
    """
    if before.is_dir():
        common = sorted(set(source_files(before)) & set(source_files(after)))
        return [(name, before / name, after / name) for name in common]
    found = [(after.name, before, after)]
    if before.parent != after.parent:
        others = [(n, before.parent / n, after.parent / n) for n in sorted(set(used) - {before.name, after.name})]
        found += [(n, old, new) for n, old, new in others if old.is_file() and new.is_file()]
    return found


def compare_files(before: Path, after: Path, used: Iterable[str] = ()) -> FileChanges:
    """What differs between two files or two folders; for `used` see `pairs`."""
    added: list[str] = []
    deleted: list[str] = []
    if before.is_dir():
        old, new = set(source_files(before)), set(source_files(after))
        added, deleted = sorted(new - old), sorted(old - new)
    compared = pairs(before, after, used)
    changed = [entry for entry in compared if entry[1].read_bytes() != entry[2].read_bytes()]
    parts = [_difference(name, old_path, new_path) for name, old_path, new_path in changed]
    parts += [_difference(name, None, after / name) for name in added]
    parts += [_difference(name, before / name, None) for name in deleted]
    return FileChanges(tuple(added), tuple(deleted), tuple(changed), "".join(parts))


def _difference(name: str, before: Path | None, after: Path | None) -> str:
    old, new = _lines(before), _lines(after)
    if old is None or new is None:
        return f"Binary or large file {name} differs\n"
    labels = (f"a/{name}" if before else "/dev/null", f"b/{name}" if after else "/dev/null")
    return "".join(difflib.unified_diff(old, new, *labels))


def _lines(path: Path | None) -> list[str] | None:
    """Lines with their ends; None for what is not text."""
    if path is None:
        return []
    if path.stat().st_size > MOST_BYTES:
        return None
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except UnicodeDecodeError:
        return None
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines
