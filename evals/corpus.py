"""Finds and loads cases."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from evals.case import Case
from harness.options import UsageError

CASES = Path(__file__).parent / "cases"
_NOT_STAGED = ("__pycache__", ".pyc", ".DS_Store")


@dataclass(frozen=True)
class StoredCase:
    """A case and where it lies."""

    folder: Path
    case: Case

    @property
    def files_folder(self) -> Path:
        """What is staged."""
        return self.folder / "files"

    @property
    def reference_path(self) -> Path:
        """The float64 objective."""
        return self.folder / "reference.py"

    @property
    def patch(self) -> str:
        """The reference fix as a unified diff; empty for a control."""
        path = self.folder / "fix.patch"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @cached_property
    def texts(self) -> dict[str, str]:
        """Staged text files by their relative path."""
        return {name: path.read_text(encoding="utf-8") for name, path in self.files().items() if is_text(path)}

    def files(self) -> dict[str, Path]:
        """Staged files by their relative path with forward slashes."""
        return files_below(self.files_folder)


def files_below(folder: Path) -> dict[str, Path]:
    """All files of a folder by their relative path, without what Python leaves behind."""
    found = (p for p in sorted(folder.rglob("*")) if p.is_file())
    return {
        path.relative_to(folder).as_posix(): path
        for path in found
        if not any(part in _NOT_STAGED or part.endswith(_NOT_STAGED) for part in path.relative_to(folder).parts)
    }


def is_text(path: Path) -> bool:
    """Whether a file is UTF-8 text without null bytes."""
    try:
        return b"\0" not in path.read_bytes()[:4096] and path.read_text(encoding="utf-8") is not None
    except UnicodeDecodeError:
        return False


def load(folder: Path) -> StoredCase:
    """Load one case.

    Raises:
        UsageError: the folder holds no valid case; the message lists what is wrong.
    """
    path = folder / "case.json"
    try:
        case = Case.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"`{path}` cannot be read ({error.strerror}).") from None
    except ValidationError as error:
        lines = [f"  {'.'.join(map(str, e['loc'])) or 'case'}: {e['msg']}" for e in error.errors()]
        raise UsageError("\n".join([f"`{path}` is not a valid case:", *lines])) from None
    if case.id != folder.name:
        raise UsageError(f"`{path}` has the id `{case.id}`; it must be the name of its folder.")
    return StoredCase(folder, case)


def select(patterns: Sequence[str] = (), root: Path = CASES) -> list[StoredCase]:
    """Cases whose id matches one of the patterns (``tag:NAME`` selects by tag), all of them without patterns.

    Raises:
        UsageError: a pattern matches no case.
    """
    folders = sorted(p.parent for p in root.glob("*/case.json"))
    if not folders:
        raise UsageError(f"There are no cases in `{root}`.")
    stored = [load(folder) for folder in folders]
    if not patterns:
        return stored
    for pattern in patterns:
        if not any(_matches(s.case, pattern) for s in stored):
            raise UsageError(f"No case matches `{pattern}`; `python -m evals.run list` shows them all.")
    return [s for s in stored if any(_matches(s.case, p) for p in patterns)]


def shard(cases: Iterable[StoredCase], text: str) -> list[StoredCase]:
    """Part ``k/n`` of the cases, k from 1.

    Raises:
        UsageError: the text is not k/n.
    """
    part, slash, parts = text.partition("/")
    if not (slash and part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise UsageError(f"`--shard {text}` is not K/N with 1 <= K <= N, for example --shard 1/4.")
    return [case for i, case in enumerate(cases) if i % int(parts) == int(part) - 1]


def _matches(case: Case, pattern: str) -> bool:
    if pattern.startswith("tag:"):
        return pattern[4:] in case.tags
    return fnmatch.fnmatchcase(case.id, pattern)
