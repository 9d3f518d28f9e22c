"""What the skill needs of this folder: no tests, no evals, no caches."""

from __future__ import annotations

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FILES = ("SKILL.md", "README.md", "LICENSE", "pyproject.toml", "constraints.txt")
_FOLDERS = ("examples", "harness", "references", "templates")


def has_skill(root: Path = ROOT) -> bool:
    """True for a checkout or an installed copy; the package alone, as pip installs it, has no skill beside it."""
    return (root / "SKILL.md").is_file()


def payload(root: Path = ROOT) -> dict[str, bytes]:
    """Contents by path, relative, with forward slashes."""
    paths = [root / name for name in _FILES]
    for folder in _FOLDERS:
        paths += sorted((root / folder).rglob("*"))
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in paths if p.is_file() and not _is_cache(p, root)}


def digest(contents: bytes) -> str:
    """How a file is recognised."""
    return hashlib.sha256(contents).hexdigest()


def _is_cache(path: Path, root: Path) -> bool:
    inside = path.relative_to(root).parts
    return "__pycache__" in inside or path.suffix in (".pyc", ".pyo") or any(part.startswith(".") for part in inside)
