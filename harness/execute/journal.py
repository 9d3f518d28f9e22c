"""The session file: every question that a diagnosis asked of the running program, with the answer.

A zip file. ``journal.json`` holds the header, the entries in order and the sources that were shown; arrays and
recordings lie beside it. A question is known by its canonical JSON, in which arrays stand as digests, and by how
often it was asked before: the same question may have another answer the next time.
"""

from __future__ import annotations

import hashlib
import json
import linecache
import os
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..options import VERSION, UsageError
from ..record.events import Recording, load
from .session import EvaluationResult, ExecutionFailed

FORMAT = "warp-debug-gradients session"
FORMAT_VERSION = 1
_INDEX = "journal.json"

Question = dict[str, Any]


class JournalWriter:
    """Asks every question, and keeps it with its answer in ``file``, which appears when `finish` is called."""

    def __init__(self, file: str, header: dict[str, Any]) -> None:
        self.header = header
        self._file = file
        self._entries: list[tuple[str, dict[str, Any]]] = []
        self._keys = _Keys()
        self._sources: dict[str, str] = {}
        self._part = f"{file}.part"
        self._zip = zipfile.ZipFile(self._part, "w", zipfile.ZIP_DEFLATED)

    def answer(self, question: Question, ask: Callable[[], Any]) -> Any:
        """The answer of the running program; a failure to answer is kept as well."""
        key = self._keys.next(question)
        try:
            answer = ask()
        except ExecutionFailed as error:
            self._entries.append((key, {"failed": [error.reason, str(error), error.detail]}))
            raise
        self._entries.append((key, self._encode(answer)))
        return answer

    def finish(self) -> None:
        """Write the index and move the file to its place."""
        index = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "tool": VERSION,
            "header": self.header,
            "entries": self._entries,
            "sources": self._sources,
        }
        self._zip.writestr(_INDEX, json.dumps(index))
        self._zip.close()
        os.replace(self._part, self._file)

    def abandon(self) -> None:
        """Leave nothing behind; without effect once the file is finished."""
        self._zip.close()
        Path(self._part).unlink(missing_ok=True)

    def _encode(self, answer: Any) -> dict[str, Any]:
        name = str(len(self._entries))
        if isinstance(answer, np.ndarray):
            with self._zip.open(f"{name}.npy", "w") as stream:
                np.save(stream, answer)
            return {"array": f"{name}.npy"}
        if isinstance(answer, Recording):
            with tempfile.TemporaryDirectory(prefix="warp-gradients-") as folder:
                answer.save(folder)
                for file in sorted(Path(folder).iterdir()):
                    self._zip.write(file, f"{name}/{file.name}")
            self._keep_sources(answer)
            return {"recording": name}
        if isinstance(answer, list):
            return {"evaluations": [[r.status, [repr(v) for v in r.values], r.structure, r.scalars] for r in answer]}
        return {"json": answer}

    def _keep_sources(self, recording: Recording) -> None:
        for file in {frame[0] for site in recording.sites for frame in site} - self._sources.keys():
            lines = linecache.getlines(file)
            if lines:
                self._sources[file] = "".join(lines)


class JournalReader:
    """Answers the questions of a diagnosis from a session file. ``folder`` takes what is unpacked.

    Raises:
        UsageError: there is no such file, it is something else, or it is in another format.
    """

    def __init__(self, file: str, folder: Path) -> None:
        self._file = file
        self._folder = folder
        index = self._unpack()
        if index["format_version"] != FORMAT_VERSION:
            raise UsageError(
                f"`{file}` has session format {index['format_version']} (written by version {index['tool']}), "
                f"this version reads format {FORMAT_VERSION}. Record it again with --record."
            )
        self.header: dict[str, Any] = index["header"]
        self._answers: dict[str, dict[str, Any]] = dict(index["entries"])
        self._keys = _Keys()
        for source, text in index["sources"].items():
            linecache.cache[source] = (len(text), None, text.splitlines(keepends=True), source)

    def answer(self, question: Question, ask: Callable[[], Any]) -> Any:
        """The recorded answer; ``ask`` is not called."""
        encoded = self._answers.get(self._keys.next(question))
        if encoded is None:
            raise UsageError(
                f"`{self._file}` has no answer for a step of this diagnosis ({question['ask']}); it was recorded with "
                "other options or by another version. Record it again with --record."
            )
        if "failed" in encoded:
            raise ExecutionFailed(*encoded["failed"])
        if "array" in encoded:
            return np.load(self._folder / encoded["array"], allow_pickle=False)
        if "recording" in encoded:
            return load(str(self._folder / encoded["recording"]))
        if "evaluations" in encoded:
            return [
                EvaluationResult(status, tuple(float(v) for v in values), structure, scalars)
                for status, values, structure, scalars in encoded["evaluations"]
            ]
        return encoded["json"]

    def _unpack(self) -> dict[str, Any]:
        try:
            with zipfile.ZipFile(self._file) as archive:
                index: dict[str, Any] = json.loads(archive.read(_INDEX))
                archive.extractall(self._folder)
        except FileNotFoundError:
            raise UsageError(f"There is no file `{self._file}`. Write one with --record.") from None
        except (OSError, KeyError, ValueError, zipfile.BadZipFile):
            index = {}
        if index.get("format") != FORMAT:
            raise UsageError(f"`{self._file}` is not a session file. Write one with --record.")
        return index


Journal = JournalWriter | JournalReader


class _Keys:
    """Names questions: a digest, and how many times the question was asked before."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def next(self, question: Question) -> str:
        text = json.dumps(_canonical(question), sort_keys=True)
        digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        self._counts[digest] += 1
        return f"{digest}-{self._counts[digest]}"


def _canonical(value: Any) -> Any:
    """Plain data that is equal for equal questions."""
    if isinstance(value, np.ndarray):
        digest = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
        return [digest, str(value.dtype), list(value.shape)]
    if is_dataclass(value) and not isinstance(value, type):
        return _canonical(asdict(value))
    if isinstance(value, dict):
        return {str(k): _canonical(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(v) for v in value]
    return value
