"""Which numbers differ between two sources, what they are called, and whether anything else differs."""

from pathlib import Path

import pytest

from harness.verify.constants import compare_constants, constants_check
from harness.verify.sources import compare_files

SOURCE = """\
LR = 0.1
DT: float = 1.0 / 60
STIFF = wp.constant(200.0)

def train(steps=100):
    optimizer = Adam([x], lr=0.01)
    for i in range(steps):
        y = f(x, True) * 3
        if i % 10 == 0:
            print("loss", 5)
"""


def changes(tmp_path: Path, before: str, after: str) -> tuple[list[tuple[str, str, str, int]], bool]:
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(before)
    new.write_text(after)
    found = compare_constants(compare_files(old, new))
    return [(c.name, c.before, c.after, c.line) for c in found.changes], found.is_all


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("LR = 0.1", "LR = -0.01", ("LR", "0.1", "-0.01", 1)),
        ("1.0 / 60", "1.0 / 600", ("DT", "1.0 / 60", "1.0 / 600", 2)),
        ("1.0 / 60", "0.01", ("DT", "1.0 / 60", "0.01", 2)),
        ("wp.constant(200.0)", "wp.constant(2.0)", ("STIFF", "200.0", "2.0", 3)),
        ("steps=100", "steps=5", ("number", "100", "5", 5)),
        ("lr=0.01", "lr=1e-4", ("Adam(lr=...)", "0.01", "0.0001", 6)),
        ("True) * 3", "True) * 4", ("y", "3", "4", 8)),
        ("i % 10", "i % 20", ("number", "10", "20", 9)),
        ('print("loss", 5)', 'print("loss", 6)', ("print(...)", "5", "6", 10)),
    ],
)
def test_a_changed_number_is_named_as_the_user_wrote_it(
    tmp_path: Path, old: str, new: str, expected: tuple[str, str, str, int]
) -> None:
    assert old in SOURCE
    assert changes(tmp_path, SOURCE, SOURCE.replace(old, new)) == ([expected], True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f(x, True)", "f(x, False)"),
        ("optimizer =", "solver ="),
        ("y = f(x", "y = g(x"),
        ('print("loss"', 'print("cost"'),
        ("range(steps)", "range(3)"),
    ],
)
def test_a_change_of_code_is_no_change_of_a_number(tmp_path: Path, old: str, new: str) -> None:
    assert old in SOURCE
    assert changes(tmp_path, SOURCE, SOURCE.replace(old, new)) == ([], False)


def test_a_number_beside_an_added_line_is_found_and_is_not_all(tmp_path: Path) -> None:
    edited = SOURCE.replace("LR = 0.1", "LR = 0.2").replace("    optimizer =", "    x = x.copy()\n    optimizer =")
    assert changes(tmp_path, SOURCE, edited) == ([("LR", "0.1", "0.2", 1)], False)


def test_moving_a_line_into_a_loop_is_a_change_of_code(tmp_path: Path) -> None:
    before, after = "for i in a:\n    f()\ng(1)\n", "for i in a:\n    f()\n    g(1)\n"
    assert changes(tmp_path, before, after) == ([], False)


def test_a_source_that_is_no_python_is_no_change_of_numbers(tmp_path: Path) -> None:
    assert changes(tmp_path, "LR = 1", "LR = (") == ([], False)


@pytest.mark.parametrize(("is_wrong", "outcome"), [(True, "failed"), (False, "passed")])
def test_a_fix_by_tuning_is_called_that(tmp_path: Path, is_wrong: bool, outcome: str) -> None:
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text("LR = 0.1\n")
    new.write_text("LR = 0.01\n")
    check = constants_check(compare_constants(compare_files(old, new)), is_wrong)
    assert check.outcome == outcome
    assert "`LR` 0.1 -> 0.01 (new.py:1)" in check.message
