"""The evidence of a verification in a folder: what a reviewer reads, and runs again."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from ..options import UsageError
from ..report import verification as pages
from ..schema import Report, Verification
from .investigation import Investigation
from .sources import source_files

_COPIED_BYTES = 2_000_000
"""Larger files, data and meshes, are named and left out."""


def check_bundle(folder: Path) -> None:
    """Refuse a folder that holds something already.

    Raises:
        UsageError: it does, or it is no folder.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"`{folder}` is not an empty folder; name a new one with --bundle.")


def write_bundle(folder: Path, investigation: Investigation) -> list[str]:
    """Write the evidence; returns the names of files that were too large to copy."""
    check_bundle(folder)
    folder.mkdir(parents=True, exist_ok=True)
    verification = investigation.verification
    _write(folder / "verification.json", verification.model_dump_json(indent=2) + "\n")
    _write(folder / "verification.md", pages.markdown(verification))
    _write(folder / "fix.diff", verification.diff)
    left_out = []
    for name, path, report in (
        ("before", verification.before.path, investigation.before),
        ("after", verification.after.path, investigation.after),
    ):
        _write(folder / f"{name}.report.json", _json(report))
        left_out += [f"{name}/{file}" for file in _copy(Path(path), folder / name)]
    script = folder / "reproduce.sh"
    _write(script, _script(verification, left_out))
    script.chmod(0o755)
    return left_out


def _copy(path: Path, target: Path) -> list[str]:
    """Copy a program; returns what was left out."""
    target.mkdir()
    if not path.is_dir():
        shutil.copy2(path, target / path.name)
        return []
    left_out = []
    for name in source_files(path):
        if (path / name).stat().st_size > _COPIED_BYTES:
            left_out.append(name)
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path / name, target / name)
    return left_out


def _script(verification: Verification, left_out: list[str]) -> str:
    """The commands again, on the copies."""
    harness = Path(__file__).resolve().parents[1] / "run.py"
    paths = []
    for name, program in (("before", verification.before), ("after", verification.after)):
        given = Path(program.path)
        paths.append(name if given.is_dir() else f"{name}/{given.name}")
    words = shlex.split(verification.reproduce[0])
    options = shlex.join(words[words.index("verify") + 3 :])
    lines = [
        "#!/bin/sh",
        "# Repeats the verification on the copies beside this file. HARNESS names run.py of warp-debug-gradients,",
        "# PYTHON an interpreter that has what it needs.",
        'cd "$(dirname "$0")" || exit 2',
        f': "${{HARNESS:={harness}}}" "${{PYTHON:={sys.executable}}}"',
    ]
    lines += [f"# Too large to be copied, put it there first: {name}" for name in left_out]
    lines.append(f'exec "$PYTHON" "$HARNESS" verify {shlex.quote(paths[0])} {shlex.quote(paths[1])} {options}'.rstrip())
    return "\n".join(lines) + "\n"


def _json(report: Report) -> str:
    return report.model_dump_json(indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
