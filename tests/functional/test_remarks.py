"""The example of every kind that is no defect, as its page shows it: named where it is, and not where it is not."""

from __future__ import annotations

import importlib
import textwrap
from types import ModuleType

import pytest
from driving import Diagnose

from harness.schema import DEFECT_KINDS, NON_DEFECT_KINDS, Report

KINDS = sorted(NON_DEFECT_KINDS)


def _module(kind: str) -> ModuleType:
    return importlib.import_module(f"harness.kinds.{kind.replace('-', '_')}")


def example(page: str, heading: str) -> str:
    """The script under one heading of a page."""
    body = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return textwrap.dedent(body)


def kinds(report: Report) -> set[str]:
    return {finding.kind for finding in report.findings}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_every_section_and_short_examples(kind: str) -> None:
    page = str(_module(kind).__doc__)
    sections = ["What it is", "Why it happens", "What is measured", "What proves it", "Known limits", "Bad", "Good"]
    positions = [page.index(f"\n## {name}\n") for name in [*sections, "References"]]
    assert positions == sorted(positions)
    assert page.startswith(f"{kind}\n")
    for heading in ("Bad", "Good"):
        assert len(example(page, heading).strip().splitlines()) < 30
    assert example(page, "Bad") != example(page, "Good")


@pytest.mark.parametrize("kind", KINDS)
def test_the_bad_example_is_named_and_leaves_the_gradient_alone(kind: str, diagnose: Diagnose) -> None:
    report = diagnose(example(str(_module(kind).__doc__), "Bad")).report
    assert kinds(report) == {kind}
    assert report.verdict in ("correct", "undecided"), report.summary
    (finding,) = report.findings
    assert finding.location is not None
    assert finding.evidence
    assert finding.next_step


@pytest.mark.parametrize("kind", KINDS)
def test_the_good_example_is_left_alone(kind: str, diagnose: Diagnose) -> None:
    report = diagnose(example(str(_module(kind).__doc__), "Good")).report
    assert report.verdict == "correct", report.summary
    assert not kinds(report) & (DEFECT_KINDS | NON_DEFECT_KINDS)
