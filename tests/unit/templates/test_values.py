"""Values of variables: parsed from text, printed as literals."""

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.templates.values import NotALiteral, literal, parse

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


@given(values)
def test_a_literal_evaluates_to_the_value_itself(value: object) -> None:
    assert ast.literal_eval(literal(value)) == value


@given(values)
def test_what_is_printed_as_a_literal_is_parsed_back(value: object) -> None:
    assert parse(literal(value)) == value


@given(st.text())
def test_no_text_gets_out_of_its_literal(text: str) -> None:
    tree = ast.parse(f"NAME = {literal(text)}")
    assert len(tree.body) == 1
    assert isinstance(tree.body[0].value, ast.Constant | ast.JoinedStr)  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [math.nan, [1.0, math.inf], {"a": {1, 2}}, object()])
def test_a_value_without_a_spelling_is_refused(value: object) -> None:
    with pytest.raises(NotALiteral):
        literal(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("[1, 2]", [1, 2]),
        ("null", None),
        ('{"wet": true}', {"wet": True}),
        ("sim.py:loss", "sim.py:loss"),
        ("__import__('os').remove('x')", "__import__('os').remove('x')"),
        ("(" * 5000, "(" * 5000),
    ],
)
def test_a_text_is_a_literal_or_json_or_itself(text: str, value: object) -> None:
    assert parse(text) == value
