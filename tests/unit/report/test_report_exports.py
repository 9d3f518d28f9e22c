"""SARIF, HTML, Markdown and JSON: structure, escaping, and what counts as a result."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.report import render
from harness.report.plot import HEIGHT, WIDTH, polyline
from harness.schema import (
    Check,
    Cost,
    Environment,
    Failure,
    Finding,
    Location,
    Parameter,
    ProgramInfo,
    Related,
    Report,
    Tool,
)


def parameter(name: str, verdict: str = "wrong") -> Parameter:
    check = Check(
        iteration=0, objective="loss", oracle="global", autodiff=0.0, measured=1.0, verdict="disagrees", ratio=0.0
    )
    return Parameter.model_validate(
        {
            "name": name,
            "dtype": "float32",
            "verdict": verdict,
            "checks": [check],
            "location": {"file": "a.py", "line": 7},
        }
    )


def finding(**fields: Any) -> Finding:
    required: dict[str, Any] = {"kind": "severed-chain", "confidence": "proven", "title": "t", "message": "m"}
    return Finding(**{**required, "location": Location(file="a.py", line=9, snippet="y = x.numpy()"), **fields})


def report(**fields: Any) -> Report:
    required: dict[str, Any] = {
        "tool": Tool(version="0.1.0"),
        "verdict": "wrong",
        "summary": "d(loss)/d(x), a.py:7: autodiff is 0 x the measured derivative",
        "environment": Environment(python="3.11.7", platform="Linux"),
        "program": ProgramInfo(script="demo/a.py"),
        "cost": Cost(seconds=1.0, executions=2),
    }
    return Report(**{**required, **fields})


def sarif_run(subject: Report) -> dict[str, Any]:
    log = json.loads(render(subject, "sarif"))
    assert log["version"] == "2.1.0"
    assert log["$schema"].startswith("https://")
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def assert_is_valid_run(run: dict[str, Any]) -> None:
    """Check what the SARIF schema requires of the objects that a report uses."""
    driver = run["tool"]["driver"]
    assert driver["name"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules))
    assert isinstance(run["invocations"][0]["executionSuccessful"], bool)
    for notification in run["invocations"][0]["toolExecutionNotifications"]:
        assert notification["message"]["text"]
        assert notification["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert isinstance(result["message"]["text"], str)
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        assert result["locations"]
        for place in [*result["locations"], *result.get("relatedLocations", [])]:
            physical = place["physicalLocation"]
            assert physical["artifactLocation"]["uri"].isascii()
            region = physical.get("region", {"startLine": 1})
            assert 1 <= region["startLine"] <= region.get("endLine", region["startLine"])


@settings(deadline=None, max_examples=50)
@given(
    file=st.text(min_size=1),
    script=st.text(),
    line=st.integers(min_value=1),
    end_line=st.none() | st.integers(min_value=1),
    role=st.text(),
    message=st.text(),
)
def test_any_finding_gives_valid_sarif(
    file: str, script: str, line: int, end_line: int | None, role: str, message: str
) -> None:
    place = Location(file=file, line=line, end_line=end_line, snippet=message)
    related = Related(role=role, file=file, line=line)
    subject = report(
        findings=[finding(message=message, location=place, related=[related]), finding(location=None)],
        parameters=[parameter("x"), parameter("y", "undecided")],
        program=ProgramInfo(script=script),
    )
    assert_is_valid_run(sarif_run(subject))


@pytest.mark.parametrize(
    ("kind", "confidence", "level"),
    [
        ("severed-chain", "proven", "error"),
        ("severed-chain", "measured", "error"),
        ("severed-chain", "observed", "warning"),
        ("severed-chain", "suspected", "warning"),
        ("step-size", "proven", "warning"),
    ],
)
def test_sarif_level_is_error_for_certain_defects_only(kind: str, confidence: str, level: str) -> None:
    run = sarif_run(report(findings=[finding(kind=kind, confidence=confidence)]))
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [(kind, level)]


def test_sarif_has_a_result_for_a_wrong_parameter_without_a_cause() -> None:
    explained = finding(parameters=["x"])
    other = finding(kind="step-size", parameters=["y"])
    subject = report(
        parameters=[parameter("x"), parameter("y"), parameter("z", "correct")], findings=[explained, other]
    )
    run = sarif_run(subject)
    assert [result["ruleId"] for result in run["results"]] == ["severed-chain", "step-size", "wrong-gradient"]
    assert run["results"][2]["properties"]["parameters"] == ["y"]


def test_sarif_fingerprint_survives_a_moved_line_and_not_another_statement() -> None:
    def fingerprint(line: int, snippet: str) -> Any:
        place = Location(file="a.py", line=line, snippet=snippet)
        return sarif_run(report(findings=[finding(location=place)]))["results"][0]["partialFingerprints"]

    assert fingerprint(9, "y = x.numpy()") == fingerprint(14, "    y = x.numpy()\n")
    assert fingerprint(9, "y = x.numpy()") != fingerprint(9, "z = x.numpy()")


@pytest.mark.parametrize(
    ("script", "file", "uri"),
    [
        ("demo/a.py", "a.py", "demo/a.py"),
        ("demo/a.py", "../lib/b c.py", "lib/b%20c.py"),
        ("a.py", "/data/b.py", "file:///data/b.py"),
        ("/data/demo/a.py", "a.py", "file:///data/demo/a.py"),
        ("C:\\demo\\a.py", "a.py", "file:///C:/demo/a.py"),
    ],
)
def test_sarif_uri_starts_where_the_command_ran(script: str, file: str, uri: str) -> None:
    subject = report(program=ProgramInfo(script=script), findings=[finding(location=Location(file=file, line=1))])
    place = sarif_run(subject)["results"][0]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_tells_of_a_blocked_program_and_of_an_undecided_gradient() -> None:
    failure = Failure(reason="no-tape", message="`a.py` never opens a tape")
    blocked = sarif_run(report(verdict="blocked", summary=failure.message, failure=failure))
    assert blocked["results"] == []
    assert blocked["invocations"][0]["exitCode"] == 4
    assert blocked["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"] == "no-tape"
    undecided = sarif_run(report(verdict="undecided", parameters=[parameter("x", "undecided")]))
    assert "d(loss)/d(x)" in undecided["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


class TagCollector(HTMLParser):
    """Collects tags, and whether each opened one is closed in order."""

    VOID = frozenset({"meta", "br", "polyline"})

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.links: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_escapes_the_user_and_loads_nothing() -> None:
    attack = "<script>alert(1)</script> `<img src=x>` & \"'"
    place = Location(file=attack, line=1, snippet=attack)
    subject = report(
        summary=attack,
        parameters=[parameter(attack)],
        findings=[finding(message=attack, remedy=attack, location=place, parameters=[attack])],
        blind_spots=[attack],
        reproduce=[attack],
    )
    page = TagCollector()
    page.feed(render(subject, "html"))
    assert page.open == []
    assert page.links == []
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    assert "code" in page.tags


def test_markdown_keeps_markup_of_the_user_out() -> None:
    subject = report(
        summary="x <b>bold</b> *star* noise_floor",
        parameters=[parameter("a|b")],
        findings=[finding(message="uses `a < b`", location=Location(file="a.py", line=1, snippet="s = '```'"))],
    )
    text = render(subject, "markdown")
    assert "\\<b>bold\\</b> \\*star\\* noise_floor" in text
    assert "uses `a < b`" in text
    assert "| `a\\|b` |" in text
    assert "````text\n> 1 | s = '```'\n````" in text


def test_json_format_is_the_contract() -> None:
    subject = report(findings=[finding()])
    assert Report.model_validate_json(render(subject, "json")) == subject


@given(points=st.lists(st.tuples(st.floats(), st.floats()), max_size=8))
def test_plot_stays_in_its_box(points: list[tuple[float, float]]) -> None:
    line = polyline([x for x, _ in points], [y for _, y in points])
    pairs = [tuple(map(float, pair.split(","))) for pair in line.split()]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in pairs)
    assert len(pairs) != 1


def test_plot_of_decades_is_straight_on_both_axes() -> None:
    assert polyline([1e-4, 1e-2, 1.0], [1.0, 1e2, 1e4]) == f"0.0,{HEIGHT}.0 {WIDTH / 2},{HEIGHT / 2} {WIDTH}.0,0.0"


@pytest.mark.parametrize("style", ["text", "markdown", "html"])
def test_what_a_wrong_check_has_to_add_is_in_every_page(style: str) -> None:
    wrong = parameter("x")
    said = wrong.checks[0].model_copy(update={"explanation": "Wrong elements: 2 and 5."})
    page = render(report(parameters=[wrong.model_copy(update={"checks": (said,)})]), style)
    assert page.count("Wrong elements: 2 and 5.") == 1
