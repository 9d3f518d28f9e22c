"""The facts about Warp this project rests on, in the interpreter WARP_VERSIONS_PYTHON names (default: this one)."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.versions.expected import SINCE

HERE = Path(__file__).resolve().parent
PYTHON = os.environ.get("WARP_VERSIONS_PYTHON") or sys.executable

CASES = [
    pytest.param(subject, name, id=name, marks=pytest.mark.xdist_group(subject))
    for subject, names in SINCE.items()
    for name in names
]


@cache
def observed(subject: str) -> dict[str, Any]:
    """One process for each subject, so a crash in one costs the others nothing."""
    command = [PYTHON, str(HERE / "run_facts.py"), subject]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        pytest.fail(f"{PYTHON} ended with {done.returncode} on the facts of {subject}:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.versions
@pytest.mark.parametrize(("subject", "name"), CASES)
def test_fact_holds_from_the_named_version_on(subject: str, name: str) -> None:
    result = observed(subject)
    version = tuple(int(part) for part in result["warp"].split(".")[:2])
    outcome = result["facts"][name]
    if version >= SINCE[subject][name]:
        assert outcome is True, f"Warp {result['warp']}: {outcome}"
    else:
        # An exception of Warp's is a way of not holding; a mistake in the small program itself is not.
        assert outcome is False or str(outcome).startswith("RuntimeError"), f"Warp {result['warp']}: {outcome}"


@pytest.mark.parametrize("subject", [pytest.param(s, marks=pytest.mark.xdist_group(s)) for s in SINCE])
def test_every_fact_of_a_subject_is_expected(subject: str) -> None:
    assert set(observed(subject)["facts"]) == set(SINCE[subject])


def test_every_file_of_facts_is_a_subject() -> None:
    files = {path.stem for path in (HERE / "facts").glob("*.py")} - {"__init__", "judging"}
    assert files == set(SINCE)
