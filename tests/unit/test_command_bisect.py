"""The search for the smallest wrong value, on reports that cost nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.command.bisect import bisect
from harness.execute.session import Target
from harness.options import UsageError
from harness.schema import Cost, Environment, ProgramInfo, Report, Tool


def report(verdict: Literal["wrong", "correct", "undecided"]) -> Report:
    return Report(
        tool=Tool(version="0"),
        verdict=verdict,
        summary="",
        environment=Environment(python="3", platform="x"),
        program=ProgramInfo(script="a.py"),
        cost=Cost(seconds=0.0, executions=0),
    )


TARGET = Target("a.py", None, (), ".", {"OTHER": "7"})


@given(st.integers(-50, 50), st.integers(0, 200), st.integers(0, 250))
def test_the_smallest_value_is_found_with_few_runs(low: int, size: int, offset: int) -> None:
    threshold, high, tried = low + offset, low + size, []

    def diagnose(target: Target) -> Report:
        assert target.overrides["OTHER"] == "7"
        tried.append(int(target.overrides["N"]))
        return report("wrong" if tried[-1] >= threshold else "correct")

    answer = bisect(f"N={low}:{high}", TARGET, diagnose)
    assert answer.smallest == (threshold if threshold <= high else None)
    assert len(tried) == len(set(tried)) <= 2 * (size + 2).bit_length() + 1
    assert all(low <= value <= high for value in tried)


def test_the_table_lists_what_was_tried_in_order() -> None:
    answer = bisect("N=1:9", TARGET, lambda t: report("wrong" if int(t.overrides["N"]) >= 6 else "undecided"))
    assert answer.table().splitlines()[0] == "  N = 1  undecided"
    assert "wrong from N = 6; with 5 it is undecided" in answer.table()
    assert answer.report.verdict == "wrong"


@pytest.mark.parametrize("line", ["STEPS = 12", "STEPS: int = 12"])
def test_the_scripts_own_value_is_the_upper_end(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"X = 3\n{line}\n")
    target = Target("a.py", None, (), str(tmp_path))
    answer = bisect("STEPS", target, lambda t: report("wrong" if int(t.overrides["STEPS"]) >= 12 else "correct"))
    assert answer.smallest == 12


@pytest.mark.parametrize("given", ["N", "N=", "N=3", "N=a:b", "N=5:2", "1N=1:2", "module.N"])
def test_a_search_without_a_range_is_refused(given: str) -> None:
    with pytest.raises(UsageError):
        bisect(given, TARGET, lambda _: report("wrong"))
