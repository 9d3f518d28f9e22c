"""Results as JSONL, written outside every workspace, one line per trial; a run that was interrupted goes on there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evals.result import FORMAT_VERSION, TrialResult
from harness.options import UsageError

_RESULTS, _SETTINGS = "results.jsonl", "run.json"


class Store:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: set[tuple[str, str, str, int]] = set()

    @classmethod
    def open(cls, folder: Path, settings: dict[str, Any]) -> Store:
        """Begin a run, or go on with it.

        Raises:
            UsageError: the folder holds a run with other settings.
        """
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / _SETTINGS
        if file.exists():
            before = json.loads(file.read_text())
            other = sorted(k for k in {*before, *settings} if before.get(k) != settings.get(k))
            if other:
                raise UsageError(
                    f"`{folder}` holds a run with another {', '.join(other)}; choose another --out to begin a new one."
                )
        else:
            file.write_text(json.dumps(settings, indent=2) + "\n")
        store = cls(folder)
        store._known = {r.key for r in read(folder, mend=True)} if (folder / _RESULTS).exists() else set()
        return store

    @property
    def known(self) -> set[tuple[str, str, str, int]]:
        """Keys of the trials that are done."""
        return self._known

    def add(self, result: TrialResult) -> bool:
        """Write one result; False if that trial is there already."""
        if result.key in self._known:
            return False
        with (self.folder / _RESULTS).open("a", encoding="utf-8") as stream:
            stream.write(result.model_dump_json() + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._known.add(result.key)
        return True


def read(folder: Path, mend: bool = False) -> list[TrialResult]:
    """All results of a run.

    Args:
        mend: cut off a last line that was not written to its end.

    Raises:
        UsageError: there are no results, or not in this format.
    """
    file = folder / _RESULTS if folder.is_dir() else folder
    if not file.exists():
        raise UsageError(f"There are no results in `{folder}`; `python -m evals.run run --out {folder}` makes them.")
    results = []
    good = 0
    raw = file.read_bytes()
    for line in raw.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        try:
            results.append(TrialResult.model_validate_json(line))
        except ValidationError as error:
            version = f"this version reads format {FORMAT_VERSION}"
            raise UsageError(f"`{file}` cannot be read: {error.errors()[0]['msg']}; {version}.") from None
        good += len(line)
    if mend and good < len(raw):
        with file.open("r+b") as stream:
            stream.truncate(good)
    return results
