"""Layout of the text report: width, order, limits, and what it does with hostile text."""

from __future__ import annotations

import re
import string
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.report import render, summarize
from harness.report.page import wrap
from harness.schema import (
    Check,
    Cost,
    Environment,
    Finding,
    Location,
    Note,
    Parameter,
    ProgramInfo,
    Related,
    Report,
    RuledOut,
    Tool,
)

WORDS = st.text(alphabet=string.ascii_letters + string.digits + "`_-+.%()  ", max_size=300)


def check(iteration: int = 0, **fields: Any) -> Check:
    required = {"objective": "loss", "oracle": "global", "autodiff": 2.0, "measured": 1.0, "verdict": "disagrees"}
    return Check(**{"iteration": iteration, **required, **fields})


def parameter(name: str = "gains", verdict: str = "wrong", **fields: Any) -> Parameter:
    required: dict[str, Any] = {"dtype": "float32", "shape": [3], "location": Location(file="a.py", line=7)}
    return Parameter(**{"name": name, "verdict": verdict, "checks": [check(ratio=2.0)], **required, **fields})


def finding(**fields: Any) -> Finding:
    return Finding(**{"kind": "wrong-seed", "confidence": "proven", "title": "t", "message": "m", **fields})


def report(**fields: Any) -> Report:
    required: dict[str, Any] = {
        "tool": Tool(version="0.1.0"),
        "verdict": "wrong",
        "summary": "autodiff is 2.00 x the measured derivative",
        "environment": Environment(python="3.11.7", platform="Linux"),
        "program": ProgramInfo(script="a.py"),
        "parameters": [parameter()],
        "cost": Cost(seconds=1.0, executions=2),
    }
    return Report(**{**required, **fields})


@settings(deadline=None)
@given(words=WORDS, width=st.integers(40, 120), line=st.integers(1, 10**6))
@example(words="x" * 300, width=40, line=1)
def test_no_line_is_longer_than_the_width(words: str, width: int, line: int) -> None:
    place = Location(file=words or "a.py", line=line, snippet=words)
    full = report(
        summary=words,
        parameters=[parameter(name=words, location=place), parameter(verdict="undecided")],
        findings=[
            finding(
                message=words,
                remedy=words,
                location=place,
                related=[Related(role=words[:8], file="b.py", line=1, snippet=words)],
                evidence=[Note(text=words)],
                parameters=[words],
            )
        ],
        ruled_out=[RuledOut(kind="boundary-adjoint-dropped", why=words)],
        blind_spots=[words],
    )
    assert max(map(len, render(full, "text", width=width).splitlines())) <= width


def test_summary_that_names_no_parameter_gets_it_in_front() -> None:
    first = render(report(), "text").splitlines()[0]
    assert first == "wrong  d(loss)/d(gains), a.py:7: autodiff is 2.00 x the measured derivative"


def test_number_stays_with_its_unit_and_interval() -> None:
    lines = wrap("aaaa 0.817 x the measured (8.5 +- 0.1)e-2 and 36 % more, line 12", 15, "", "")
    assert lines == ["aaaa 0.817 x", "the measured", "(8.5 +- 0.1)e-2", "and 36 % more,", "line 12"]


def test_evidence_stops_at_five_lines() -> None:
    notes = [Note(text=f"fact {number}") for number in range(9)]
    text = render(report(findings=[finding(evidence=notes)]), "text")
    assert text.count("  - fact") == 5


def test_one_long_piece_of_evidence_is_still_shown() -> None:
    text = render(report(findings=[finding(evidence=[Note(text="word " * 120)])]), "text")
    assert text.count("word") == 120


def test_the_direction_behind_the_numbers_is_explained_once_and_not_for_norms() -> None:
    two = report(parameters=[parameter(name="a"), parameter(name="b")])
    assert render(two, "text").count("derivatives along one direction") == 1
    norms = report(parameters=[parameter(checks=[check(oracle="replay")])])
    assert "derivatives along one direction" not in render(norms, "text")


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_what_an_agreeing_check_adds_is_told_with_the_parameter(format: Any) -> None:
    agreeing = [check(k, verdict="agrees", explanation="All 7 agree.") for k in range(2)]
    one = parameter(verdict="correct", checks=agreeing)
    assert render(report(parameters=[one]), format).count("All 7 agree.") == 1
    several = render(report(parameters=[one, parameter(name="b")]), format)
    assert re.search(r"(`gains`|<code>gains</code>): All 7 agree\.", several)


def test_wrong_parameters_come_first_in_a_long_table() -> None:
    many = [parameter(name=f"right{number}", verdict="correct") for number in range(30)]
    text = render(report(parameters=[*many, parameter(name="culprit")]), "text")
    table = text[text.index("Parameters") :]
    assert table.index("culprit") < table.index("right0")
    assert "and 11 more" in table


def test_command_breaks_between_words_only() -> None:
    command = "python -m harness.run " + " ".join(f"--set NAME{n}='a b'" for n in range(9))
    text = render(report(reproduce=[command]), "text")
    block = text[text.index("Reproduce") :].splitlines()[1:-3]
    assert max(map(len, block)) <= 80
    assert " ".join(line.strip().removesuffix(" \\") for line in block) == command


def test_traceback_keeps_its_lines() -> None:
    from harness.schema import Failure

    long_line = f'  File "{"folder/" * 20}a.py", line 3, in step'
    failure = Failure(reason="exception", message="`a.py` raises", traceback=f"Traceback:\n{long_line}\n")
    text = render(report(verdict="blocked", parameters=[], failure=failure), "text")
    assert f"  {long_line}\n" in text


def test_plain_text_has_no_escape_even_from_the_user() -> None:
    text = render(report(findings=[finding(message="\x1b[2Jgone", location=Location(file="\x1b[1m", line=1))]), "text")
    assert "\x1b" not in text
    assert "?[2Jgone" in text


def test_color_changes_nothing_but_color() -> None:
    import re

    example_report = report(findings=[finding(remedy="read `loss`")])
    plain, colored = render(example_report, "text"), render(example_report, "text", color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


@pytest.mark.parametrize(
    ("verdict", "checks", "sentence"),
    [
        (
            "wrong",
            [check(0, ratio=0.817), check(1, ratio=0.82)],
            "autodiff is 0.817 x the measured derivative, at every",
        ),
        (
            "wrong",
            [check(0, verdict="agrees"), check(1, ratio=2.0), check(2, ratio=3.0)],
            "2.00 to 3.00 x the measured",
        ),
        ("wrong", [check(0, verdict="agrees"), check(1, ratio=2.0), check(2, ratio=3.0)], "from iteration 1 on"),
        ("wrong", [check(0, ratio=2.0), check(1, verdict="agrees")], "at iteration 0"),
        ("wrong", [check(0, autodiff=float("nan"), interval=0.1)], "autodiff is nan, measured 1.0 +- 0.1"),
        ("correct", [check(verdict="agrees", smallest_visible_error=0.01)], "an error above 1.0 % would have shown"),
        ("undecided", [check(verdict="undecided", reason="kink")], "differences cannot check it (kink)"),
        ("independent", [check(verdict="independent")], "`loss` does not depend on `gains`"),
        ("undecided", [], "not checked"),
    ],
)
def test_summarize(verdict: str, checks: list[Check], sentence: str) -> None:
    assert sentence in summarize(parameter(verdict=verdict, checks=checks))


def test_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="`pdf` is not a report format; choose one of text, json"):
        render(report(), "pdf")  # type: ignore[arg-type]


def test_a_long_table_keeps_the_checks_behind_the_verdict() -> None:
    checks = [check(i, ratio=0.5 if i == 27 else 1.0, verdict="disagrees" if i == 27 else "agrees") for i in range(28)]
    table = render(report(parameters=[parameter(checks=checks)]), "text")
    assert re.search(r"^ +27 .* disagrees", table, re.MULTILINE)
    assert "and 8 more, in the JSON report" in table
