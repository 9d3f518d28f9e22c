"""From the files of a fix to a diff, a tree that holds nothing else, and the user's own files."""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.agent.workspace import Workspace, copy_project, replace_file
from harness.options import UsageError


@dataclass(frozen=True)
class Change:
    """One file of a fix. None: it is not there."""

    path: str
    before: bytes | None
    after: bytes | None


def changes(original: Workspace, workspace: Workspace, paths: Iterable[str]) -> list[Change]:
    """The files among `paths` that differ, sorted; links and special files count as not there."""
    found = []
    for path in sorted(set(paths)):
        before, after = _contents(original, path), _contents(workspace, path)
        if before != after:
            found.append(Change(path, before, after))
    return found


def unified(made: Sequence[Change]) -> str:
    """The changes as a unified diff with `a/` and `b/`, as `git apply` and `patch -p1` take it."""
    parts = []
    for change in made:
        before, after = _text(change.before), _text(change.after)
        if before is None or after is None:
            parts.append(f"Binary files a/{change.path} and b/{change.path} differ\n")
            continue
        old = "/dev/null" if change.before is None else f"a/{change.path}"
        new = "/dev/null" if change.after is None else f"b/{change.path}"
        lines = difflib.unified_diff(_lines(before), _lines(after), old, new)
        parts += [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines]
    return "".join(parts)


def tree(original: Path, made: Sequence[Change], target: Path) -> None:
    """A copy of the original with these changes and nothing else: what is verified is what the patch holds."""
    if target.exists():
        shutil.rmtree(target)
    copy_project(original, target)
    for change in made:
        path = target / change.path
        if change.after is None:
            path.unlink(missing_ok=True)
        else:
            replace_file(path, change.after)


def apply(made: Sequence[Change], users: Path, backup: Path, by_hand: str = "the patch") -> None:
    """Write the changes to the user's files, all or none; the old ones are kept in `backup`.

    Args:
        by_hand: what the user can apply instead, for the message.

    Raises:
        UsageError: a file is no longer what the run started from, or is a link; nothing was written.
    """
    folder = Workspace(users)
    for change in made:
        path = users / change.path
        if path.is_symlink() or folder.resolve(change.path) != path.resolve():
            raise UsageError(f"`{path}` is behind a link, so nothing was written. Apply {by_hand} by hand.")
        if _contents(folder, change.path) != change.before:
            raise UsageError(f"`{path}` is not as the run found it, so nothing was written. Apply {by_hand} by hand.")
    for change in made:
        if change.before is not None:
            kept = backup / change.path
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(users / change.path, kept)
    written: list[Change] = []
    try:
        for change in made:
            written.append(change)
            _write(users / change.path, change.after)
    except OSError as error:
        for change in written:
            _write(users / change.path, change.before)
        raise UsageError(f"`{error.filename}` cannot be written ({error.strerror}); nothing is changed.") from None


def _write(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
    else:
        replace_file(path, data)


def _contents(folder: Workspace, path: str) -> bytes | None:
    place = folder.root / path
    if (
        place.is_symlink()
        or not place.is_file()
        or not os.path.realpath(place).startswith(os.path.realpath(folder.root))
    ):
        return None
    return place.read_bytes()


def _text(data: bytes | None) -> str | None:
    try:
        return "" if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _lines(text: str) -> list[str]:
    """Split at line feeds only: what `str.splitlines` takes for ends is part of a line to `patch`."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]
