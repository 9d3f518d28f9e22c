"""Folders that hold a case's files: staged for a trial, and snapshots of what came back."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from evals.corpus import StoredCase


def write_texts(stored: StoredCase, texts: Mapping[str, str], folder: Path) -> None:
    """Make ``folder`` with the texts and with the binary files of the case."""
    for name, path in stored.files().items():
        if name not in stored.texts:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for name, text in texts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
