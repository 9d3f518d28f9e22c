"""Storing, averaging and reporting results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.report import FORMATS, render
from evals.report.summary import summarise
from evals.result import CauseOutcome, NamedFinding, ScoredCheck, TrialResult
from evals.statistics import difference, estimate, pass_at_k, pass_hat_k
from evals.store import Store, read
from harness.options import UsageError


def result(case: str, good: bool, trial: int = 0, arm: str = "none", **changes: Any) -> TrialResult:
    checks = [ScoredCheck(name="verdict", part="verdict", value=float(good), detail="<b>&")]
    body: dict[str, Any] = {
        "case": case, "family": case[0], "title": case, "agent": "assistant", "arm": arm, "trial": trial, "seed": 0,
        "expected_verdict": "wrong", "checks": checks, "score": float(good), "solved": good,
        "causes": [CauseOutcome(kind="wrong-seed", is_hidden=False, named=good, placed=good)],
    }  # fmt: skip
    return TrialResult(**{**body, **changes})


def test_an_interrupted_run_goes_on_without_losing_or_repeating_a_trial(tmp_path: Path) -> None:
    settings = {"seed": 1}
    first = Store.open(tmp_path, settings)
    assert first.add(result("a", True))
    with (tmp_path / "results.jsonl").open("a") as stream:
        stream.write('{"case": "b", "fam')
    second = Store.open(tmp_path, settings)
    assert second.known == {("a", "assistant", "none", 0)}
    assert not second.add(result("a", False))
    assert second.add(result("b", False))
    assert [r.case for r in read(tmp_path)] == ["a", "b"]


def test_a_folder_with_another_run_is_refused(tmp_path: Path) -> None:
    Store.open(tmp_path, {"seed": 1, "agent": "x"})
    with pytest.raises(UsageError, match="another seed"):
        Store.open(tmp_path, {"seed": 2, "agent": "x"})


@given(st.integers(1, 8), st.integers(0, 8), st.integers(1, 8))
def test_pass_at_k_and_pass_hat_k_are_what_drawing_without_replacement_gives(n: int, good: int, k: int) -> None:
    solved = [True] * min(good, n) + [False] * (n - min(good, n))
    at, hat = pass_at_k(solved, k), pass_hat_k(solved, k)
    if k > n:
        assert (at, hat) == (None, None)
        return
    assert at is not None
    assert hat is not None
    assert 0 <= hat <= sum(solved) / n + 1e-12 <= at + 2e-12 <= 1 + 3e-12
    assert pass_at_k([not s for s in solved], k) == pytest.approx(1 - hat)


def test_cases_of_one_family_count_as_one_piece_of_evidence() -> None:
    random = np.random.default_rng(0)
    outcomes = random.random(12) < 0.5
    apart = [result(f"{chr(97 + i)}-case", bool(s)) for i, s in enumerate(outcomes)]
    together = [result(f"a{i}", bool(outcomes[0])) for i in range(6)] + [
        result(f"b{i}", not outcomes[0]) for i in range(6)
    ]
    wide = estimate(together, lambda r: r.score)
    narrow = estimate(apart, lambda r: r.score)
    assert wide is not None
    assert narrow is not None
    assert (wide.low, wide.high) == (0.0, 1.0)
    assert 0 < narrow.low <= narrow.mean <= narrow.high < 1


def test_arms_are_compared_case_by_case() -> None:
    hard, easy = [f"{c}1" for c in "abcdef"], [f"{c}1" for c in "ghijkl"]
    without = [result(c, False) for c in hard] + [result(c, True) for c in easy]
    with_skill = [result(c, True, arm="skill") for c in hard + easy]
    found = difference(without, with_skill, lambda r: r.score)
    assert found is not None
    assert found.mean == pytest.approx(0.5)
    assert 0 < found.low < 0.5 < found.high < 1
    same = difference(with_skill, with_skill, lambda r: r.score)
    assert same is not None
    assert (same.low, same.high) == (0.0, 0.0)


def test_a_case_that_got_worse_or_cannot_be_scored_any_more_is_a_regression() -> None:
    before = [result(c, True) for c in ("a", "b", "c")]
    after = [result("a", True), result("b", False), result("c", True, status="unscored", score=None, solved=None)]
    summary = summarise(after, before)
    assert [c.case for c in summary.regressions] == ["b", "c"]
    assert summary.groups[0].unscored == 1


def test_false_defects_on_controls_are_counted() -> None:
    finding = NamedFinding(kind="severed-chain", is_right=False, is_false_defect=True)
    control = result("a", False, expected_verdict="correct", findings=[finding])
    assert summarise([control, result("b", True)]).groups[0].false_defects_on_controls == 1


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_report_shows_every_trial_that_is_not_solved(name: str) -> None:
    results = [
        result("a-case", True), result("b-case", False, contradicted=("says fixed",), transcript="\x1b[31m</script>"),
        result("c-case", False, status="unscored", score=None, solved=None, reason="it broke"),
        result("a-case", True, arm="skill"), result("a-case", False, 1, arm="skill"),
    ]  # fmt: skip
    text = render(name, summarise(results, results), results)
    assert "b-case" in text
    assert "c-case" in text
    if name == "junit":
        root = ElementTree.fromstring(text)
        assert [s.get("failures") for s in root] == ["1", "1"]
        assert root[0].get("errors") == "1"
    if name == "json":
        assert len(json.loads(text)["trials"]) == 5
    if name == "html":
        assert "</script>" not in text.split("<script>")[0]
        assert "http" not in text
