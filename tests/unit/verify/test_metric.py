"""Numbers that programs print, and what better means."""

import pytest

from harness.options import UsageError
from harness.verify.metric import _compared, last_match, last_printed

PRINTED = """\
iter 0  loss = 1.5e+00
iter 1  loss =   -2.5e-3 (best)
final loss = .75
done in 3.2 s, 17 files
"""


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("loss = {}", 0.75),
        ("final loss = {}", 0.75),
        ("iter 1 loss = {} (best)", -2.5e-3),
        ("FINAL LOSS = {}", 0.75),
        ("{} files", 17.0),
        ("cost = {}", None),
    ],
)
def test_the_last_match_of_a_pattern_counts(pattern: str, value: float | None) -> None:
    assert last_match(pattern, PRINTED) == value


def test_a_loss_that_is_no_number_is_matched() -> None:
    assert last_match("loss {}", "loss nan") != last_match("loss {}", "loss nan")
    assert last_match("loss {}", "loss inf") == float("inf")


@pytest.mark.parametrize("pattern", ["loss", "{} and {}"])
def test_a_pattern_has_one_place_for_the_number(pattern: str) -> None:
    with pytest.raises(UsageError, match="needs one"):
        last_match(pattern, "")


def test_without_a_pattern_the_last_number_with_a_point_counts() -> None:
    assert last_printed("loss 0.5\nloss 0.25 at step 30\nwrote v2.txt\n") == 0.25
    assert last_printed("step 30") is None


@pytest.mark.parametrize(
    ("old", "new", "higher", "named", "outcome"),
    [
        (1.0, 0.5, False, True, "passed"),
        (1.0, 0.5, True, True, "failed"),
        (0.5, 1.0, True, True, "passed"),
        (1.0, 1.0, False, True, "failed"),
        (1.0, 1.0, False, False, "passed"),
        (1.0, 1.5, False, False, "undecided"),
        (float("nan"), 1.0, False, True, "passed"),
        (float("inf"), 1.0, False, False, "passed"),
        (1.0, float("nan"), False, True, "failed"),
        (1.0, float("nan"), False, False, "undecided"),
    ],
)
def test_a_metric_named_by_the_user_has_to_get_better(
    old: float, new: float, higher: bool, named: bool, outcome: str
) -> None:
    assert _compared("loss", old, new, higher, named).outcome == outcome


@pytest.mark.parametrize(("new", "outcome"), [(0.19, "passed"), (0.3, "undecided"), (0.05, "passed")])
def test_an_objective_that_nobody_named_has_to_keep_most_of_what_was_gained(new: float, outcome: str) -> None:
    assert _compared("objective", 0.1, new, False, False, start=1.1).outcome == outcome
