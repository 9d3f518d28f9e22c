"""Faults between launches, tapes and iterations: the examples of every page."""

from __future__ import annotations

import pytest
from driving import Diagnose

from harness import pages

KINDS = [
    "array-overwrite",
    "unrecorded-write",
    "severed-chain",
    "gradient-accumulation",
    "double-counting",
    "gradient-truncation",
    "boundary-adjoint-dropped",
    "stale-gradient",
    "wrong-seed",
]


@pytest.mark.parametrize("kind", KINDS)
def test_the_examples_are_short(kind: str) -> None:
    for heading in pages.EXAMPLES:
        assert 5 < len(pages.example(kind, heading).splitlines()) < 30


@pytest.mark.parametrize("kind", KINDS)
def test_the_bad_example_gives_exactly_its_kind_with_proof(kind: str, diagnose: Diagnose) -> None:
    outcome = diagnose(pages.example(kind, "Bad"))
    assert outcome.report.verdict == "wrong", outcome.report.summary
    (finding,) = outcome.report.findings
    assert (finding.kind, finding.confidence) == (kind, "proven"), finding.message
    assert finding.location is not None
    assert finding.location.file == "program.py"
    assert finding.without is not None
    assert finding.with_intervention is not None


@pytest.mark.parametrize("kind", KINDS)
def test_the_good_example_is_correct_and_gives_nothing(kind: str, diagnose: Diagnose) -> None:
    outcome = diagnose(pages.example(kind, "Good"))
    assert outcome.report.verdict == "correct", outcome.report.summary
    assert outcome.report.findings == ()
