"""Branches that one execution takes and another does not, told from the lines that each ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.trace.branches import only_in

PROGRAM = """\
def run(steps):
    for step in range(steps):
        if step > 40:
            contact()
        elif step > 20:
            wind()
        else:
            fall()
        if step > 60: stop()
    while pending():
        work()
    try:
        load()
    except OSError:
        make()
"""


def run(tmp_path: Path, one: list[int], other: list[int]) -> list[tuple[int, str]]:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return [(b.line, b.header) for b in only_in({str(file): one}, {str(file): other})]


def test_a_branch_is_named_by_the_statement_that_decides(tmp_path: Path) -> None:
    assert run(tmp_path, [2, 3, 4, 5, 6, 8], [2, 3, 5, 6, 8]) == [(3, "`if step > 40`")]
    assert run(tmp_path, [2, 3, 5, 6, 8], [2, 3, 5, 8]) == [(5, "`elif step > 20`")]
    assert run(tmp_path, [2, 3, 5, 6, 8], [2, 3, 5, 6]) == [(5, "else of `elif step > 20`")]


def test_what_the_other_does_not_come_to_is_named_once_by_the_outermost_statement(tmp_path: Path) -> None:
    # Without a single pass of the loop nothing in it was decided.
    assert run(tmp_path, [2, 3, 5, 6, 8], [2]) == [(2, "`for step in range(steps)`")]


def test_loops_and_handlers_count_as_branches(tmp_path: Path) -> None:
    assert run(tmp_path, [10, 11, 13], [10, 13]) == [(10, "`while pending()`")]
    assert run(tmp_path, [13, 14, 15], [13]) == [(14, "`except OSError`")]


@pytest.mark.parametrize("lines", [[2, 3, 4], [9], [1, 2, 3, 5, 8, 10, 13]])
def test_equal_runs_and_one_line_branches_differ_in_nothing(lines: list[int], tmp_path: Path) -> None:
    assert run(tmp_path, lines, lines) == []


def test_a_file_that_only_one_ran_has_no_decision_in_common(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    assert only_in({str(file): [2, 3, 4]}, {}) == []
