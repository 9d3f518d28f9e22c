"""Is everything still there that a fix has no business in."""

from __future__ import annotations

import fnmatch
from pathlib import PurePosixPath

from evals.case import Case
from evals.result import ScoredCheck
from evals.scoring.handed_in import HandedIn


def score_decoys(case: Case, handed_in: HandedIn) -> list[ScoredCheck]:
    """Right code that looks suspicious is still there."""
    if not case.decoys:
        return []
    gone = [d for d in case.decoys if d.snippet not in handed_in.after.get(d.file, "")]
    detail = "; ".join(f"{d.file} no longer contains {d.snippet.strip().splitlines()[0]!r}" for d in gone)
    return [ScoredCheck(name="decoys untouched", part="fix", value=float(not gone), detail=detail)]


def score_files(case: Case, handed_in: HandedIn) -> ScoredCheck:
    """No file is gone; tests, data and protected files are as they were."""
    problems = [f"{name} was deleted" for name in handed_in.lost]
    problems += [f"{name} was changed" for name in handed_in.changed_binaries]
    problems += [f"{name} was changed" for name in handed_in.changed if is_protected(case, name)]
    return ScoredCheck(
        name="other files untouched", part="fix", value=float(not problems), detail="; ".join(problems)
    )  # fmt: skip


def is_protected(case: Case, name: str) -> bool:
    """Whether a fix has no business in a staged file, unless the case says that it is at fault."""
    if any(name == place.file for cause in case.expected.causes for place in (cause, *cause.elsewhere)):
        return False
    path = PurePosixPath(name)
    is_test = path.match("test_*.py") or path.match("*_test.py") or path.name == "conftest.py" or "tests" in path.parts
    return path.suffix != ".py" or is_test or any(fnmatch.fnmatchcase(name, p) for p in case.protected)
