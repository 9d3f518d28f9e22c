"""`--set` changes constants as the module loads, and nothing else."""

from __future__ import annotations

import ast
import contextlib
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.execute.child.overrides import OverrideError, Overrides
from harness.execute.child.overrides_source import parse_value

from .conftest import Run


def namespace(source: str, **values: str) -> dict[str, object]:
    found: dict[str, object] = {}
    exec(Overrides(values).compile_main(source.encode(), "sim.py"), found)
    return found


def test_expressions_that_use_the_name_see_the_new_value() -> None:
    found = namespace("N = 1000\nM = N * 2\ndef f():\n    return N\n", N="3")
    assert found["M"] == 6
    assert found["f"]() == 3  # type: ignore[operator]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("N: int = 5", {"N": 7}),
        ("A, N = 1, 5", {"A": 1, "N": 7}),
        ("[N, A] = [5, 1]", {"A": 1, "N": 7}),
        ("A = N = 5", {"A": 5, "N": 7}),
        ("A, N = (lambda: (1, 5))()", {"A": 1, "N": 7}),
        ("A, *B, N = 1, 2, 3, 5", {"A": 1, "B": [2, 3], "N": 7}),
        ("if True:\n    N = 5\nelse:\n    N = 6", {"N": 7}),
        ("try:\n    N = 5\nexcept ValueError:\n    pass", {"N": 7}),
        ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    N = 5", {"N": 7}),
        ("N = 5\nN += 1", {"N": 8}),
        ("N = 5\nN = N + 1", {"N": 7}),
        ("N = int('5')", {"N": 7}),
    ],
)
def test_plain_assignments_of_every_form_are_replaced(source: str, expected: dict[str, object]) -> None:
    found = namespace(source, N="7")
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    "source",
    [
        "for N in range(3):\n    pass",
        "def f():\n    N = 5",
        "N += 1",
        "class C:\n    N = 1",
        "N: int",
        "import os as N",
    ],
)
def test_what_is_no_plain_assignment_is_not_found(source: str) -> None:
    with pytest.raises(OverrideError, match=r"`N` is not assigned at the top level of sim\.py"):
        Overrides({"N": "7"}).compile_main(source.encode(), "sim.py")


def test_unknown_name_gets_close_matches_with_their_lines() -> None:
    with pytest.raises(OverrideError, match=r"did you mean `STEPS` \(line 2\)\?"):
        Overrides({"STEPZ": "7"}).compile_main(b"DT = 1\nSTEPS = 3\n", "sim.py")
    with pytest.raises(OverrideError, match=r"assigned there are `DT` \(line 1\)"):
        Overrides({"WIDTH": "7"}).compile_main(b"DT = 1\n", "sim.py")


def test_applied_overrides_tell_old_source_and_line() -> None:
    overrides = Overrides({"N": "7"})
    overrides.compile_main(b"X = 1\nN = 2 ** 10\nif X:\n    N = 4\n", "sim.py")
    assert [(a.old, a.line, a.assignments) for a in overrides.applied] == [("2 ** 10", 2, 2), ("4", 4, 2)]
    assert overrides.applied[0].sentence() == ("`N` is 7 instead of 2 ** 10 (sim.py:2, one of 2 assignments replaced).")


def test_a_word_for_a_number_is_refused() -> None:
    with pytest.raises(OverrideError, match=r"`N` is 10 at sim\.py:1, and `1O` is not a Python literal"):
        Overrides({"N": "1O"}).compile_main(b"N = 10\n", "sim.py")
    assert namespace("MODE = 'fast'", MODE="slow")["MODE"] == "slow"
    assert namespace("LIMIT = 1.0", LIMIT="-inf")["LIMIT"] == float("-inf")


def test_settings_without_value_or_name_are_refused() -> None:
    assert Overrides.parse(["N=4", "sim.DT=a=b"]) == {"N": "4", "sim.DT": "a=b"}
    with pytest.raises(OverrideError, match="`N` has no value"):
        Overrides.parse(["N"])
    with pytest.raises(OverrideError, match="`a-b` is not a name"):
        Overrides({"a-b": "1"})


LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.integers(), inner),
    max_leaves=6,
)


@given(LITERALS)
def test_every_literal_arrives_as_it_was_written(value: object) -> None:
    assert namespace("N = None", N=repr(value))["N"] == value


@given(st.text(alphabet=string.printable, min_size=1, max_size=12))
def test_any_other_text_arrives_as_that_text(text: str) -> None:
    with contextlib.suppress(ValueError, SyntaxError):
        ast.literal_eval(text.strip())
        return
    if text.strip().lstrip("+-") not in ("inf", "nan"):
        assert ast.literal_eval(parse_value(text).node) == text


def test_imported_module_gets_its_override_and_keeps_its_lines(run: Run, project: Path) -> None:
    (project / "physics").mkdir()
    (project / "physics" / "__init__.py").write_text("")
    (project / "physics" / "grid.py").write_text("# grid\nCELLS = 512\nAREA = CELLS ** 2\ndef f():\n    return 1 / 0\n")
    outcome = run(
        """
        import inspect, traceback
        from physics import grid
        STEPS = 100
        print(STEPS, grid.AREA, grid.f.__code__.co_firstlineno)
        print(inspect.getsource(grid).splitlines()[1])
        try:
            grid.f()
        except ZeroDivisionError as error:
            print(traceback.extract_tb(error.__traceback__)[-1].lineno)
        """,
        overrides={"STEPS": "3", "physics.grid.CELLS": "4"},
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.out == "3 16 4\nCELLS = 512\n5\n"
    assert outcome.applied == [
        f"`STEPS` is 3 instead of 100 ({project}/main.py:3).",
        f"`physics.grid.CELLS` is 4 instead of 512 ({project}/physics/grid.py:2).",
    ]


def test_override_of_the_module_run_with_dash_m_reaches_it(run: Run, project: Path) -> None:
    (project / "tool").mkdir()
    (project / "tool" / "run.py").write_text("N = 9\nprint(N)\n")
    for name in ("N", "tool.run.N"):
        outcome = run("", script=None, module="tool.run", overrides={name: "2"})
        assert outcome.out == "2\n", outcome.traceback


def test_old_byte_code_is_not_taken(run: Run, project: Path) -> None:
    (project / "sim.py").write_text("N = 9\n")
    assert run("import sim; print(sim.N)", overlay=False).out == "9\n"
    assert run("import sim; print(sim.N)", overrides={"sim.N": "2"}).out == "2\n"


def test_module_that_is_never_imported_is_reported_after_the_run(run: Run) -> None:
    outcome = run("print('ran')", overrides={"sim.N": "2"})
    assert outcome.out == "ran\n"
    assert "`sim.N` was not replaced: the program did not import `sim`" in str(outcome.error)


def test_unknown_name_stops_the_program_before_it_starts(run: Run) -> None:
    outcome = run("print('ran')\nN = 1", overrides={"M": "2"})
    assert outcome.out == ""
    assert str(outcome.error).startswith("OverrideError: `M` is not assigned")
