"""The report contract: what it takes, what it refuses, and how it reads and writes JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.schema import (
    DEFECT_KINDS,
    NON_DEFECT_KINDS,
    Check,
    Cost,
    Environment,
    ExitCode,
    Finding,
    Location,
    Number,
    Parameter,
    ProgramInfo,
    Report,
    Series,
    Tool,
    exit_code,
)


def small_report(**fields: Any) -> Report:
    required: dict[str, Any] = {
        "tool": Tool(version="0.1.0"),
        "verdict": "correct",
        "summary": "d(loss)/d(x), a.py:3: autodiff agrees with the measured derivative",
        "environment": Environment(python="3.11.7", platform="Linux"),
        "program": ProgramInfo(script="a.py"),
        "cost": Cost(seconds=1.0, executions=2),
    }
    return Report(**{**required, **fields})


def check(**fields: Any) -> Check:
    required = {"iteration": 0, "objective": "loss", "oracle": "global", "autodiff": 1.0, "measured": 1.0}
    return Check(**{"verdict": "agrees", **required, **fields})


def reject_bare_constant(name: str) -> float:
    raise AssertionError(f"{name} is not JSON")


def test_kinds_are_twenty_defects_and_seven_others() -> None:
    assert (len(DEFECT_KINDS), len(NON_DEFECT_KINDS)) == (20, 7)
    assert DEFECT_KINDS.isdisjoint(NON_DEFECT_KINDS)


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        ("correct", ExitCode.CORRECT),
        ("wrong", ExitCode.WRONG),
        ("undecided", ExitCode.UNDECIDED),
        ("blocked", ExitCode.PROGRAM_FAILED),
    ],
)
def test_exit_code_follows_the_verdict(verdict: str, code: ExitCode) -> None:
    assert exit_code(small_report(verdict=verdict)) == code


def test_only_a_correct_gradient_exits_with_zero() -> None:
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3, 4]
    assert exit_code(small_report()) == 0


def test_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="extra"):
        small_report(confidence="proven")


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(ValidationError, match="array-overwrite"):
        Finding.model_validate({"kind": "overwrite", "confidence": "proven", "title": "t", "message": "m"})


def test_report_cannot_be_changed() -> None:
    report = small_report(blind_spots=["the graph was not captured"])
    with pytest.raises(ValidationError, match="frozen"):
        report.verdict = "wrong"
    assert report.blind_spots == ("the graph was not captured",)


def test_a_later_list_does_not_reach_into_the_report() -> None:
    spots = ["one"]
    report = small_report(blind_spots=spots)
    spots.append("two")
    assert list(report.blind_spots) == ["one"]


def test_line_numbers_start_at_one() -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        Location(file="a.py", line=0)


def test_series_needs_as_many_y_as_x() -> None:
    with pytest.raises(ValidationError, match="2 x values and 1 y values"):
        Series(label="ladder", x=[1.0, 2.0], y=[1.0])


def test_nonfinite_numbers_are_strings_in_json_and_floats_again() -> None:
    finding = Finding(
        kind="nonfinite-adjoint",
        confidence="measured",
        title="t",
        message="m",
        evidence=[Number(label="a", value=math.nan), Number(label="b", value=-math.inf, interval=math.inf)],
    )
    written = small_report(findings=[finding]).model_dump_json()
    plain = json.loads(written, parse_constant=reject_bare_constant)
    assert [entry["value"] for entry in plain["findings"][0]["evidence"]] == ["NaN", "-Infinity"]
    first, second = Report.model_validate_json(written).findings[0].evidence
    assert isinstance(first, Number)
    assert isinstance(second, Number)
    assert math.isnan(first.value)
    assert (second.value, second.interval) == (-math.inf, math.inf)


def test_evidence_is_told_apart_by_its_type() -> None:
    entry = {"type": "event", "what": "tape.zero()", "file": "a.py", "line": 3}
    fields = {"kind": "stale-gradient", "confidence": "observed", "title": "t", "message": "m"}
    finding = Finding.model_validate({**fields, "evidence": [entry]})
    assert finding.evidence[0].type == "event"
    with pytest.raises(ValidationError, match="type"):
        Finding.model_validate({**fields, "evidence": [{**entry, "type": "rumour"}]})


def test_all_field_names_of_the_contract_are_in_json() -> None:
    plain = json.loads(small_report().model_dump_json())
    assert set(plain) >= {
        "schema_version", "tool", "verdict", "summary", "environment", "program", "parameters", "findings",
        "ruled_out", "not_attributed", "blind_spots", "reproduce", "cost",
    }  # fmt: skip
    assert set(json.loads(check().model_dump_json())) >= {
        "iteration", "objective", "oracle", "autodiff", "measured", "interval", "ratio", "verdict", "reason",
        "smallest_visible_error", "evaluations",
    }  # fmt: skip
    assert set(Finding.model_fields) >= {
        "kind", "confidence", "title", "message", "remedy", "location", "related", "parameters", "evidence",
        "without", "with_intervention", "mechanism", "cause",
    }  # fmt: skip


# Sequences are drawn as lists: a shape may not be bytes, and the two halves of a series have one length.
POINTS = st.lists(st.tuples(st.floats(), st.floats()))
st.register_type_strategy(
    Series,
    st.builds(
        lambda label, points: Series(label=label, x=[p[0] for p in points], y=[p[1] for p in points]), st.text(), POINTS
    ),
)
OVERRIDES = st.dictionaries(st.text(), st.text())
st.register_type_strategy(ProgramInfo, st.builds(ProgramInfo, overrides=OVERRIDES))
st.register_type_strategy(Parameter, st.builds(Parameter, shape=st.lists(st.integers(min_value=0), max_size=4)))


@settings(deadline=None)
@given(report=st.from_type(Report))
def test_any_report_survives_json(report: Report) -> None:
    written = report.model_dump_json()
    json.loads(written, parse_constant=reject_bare_constant)
    again = Report.model_validate_json(written)
    # NaN differs from itself, so the texts are compared; equal texts with equal types are equal reports.
    assert again.model_dump_json() == written
    assert repr(again) == repr(report)
