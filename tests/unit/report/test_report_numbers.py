"""Numbers with three significant digits, and intervals that decide the digits of their value."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.numbers import count, counter, memory, number, percent, seconds, with_interval


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.22, "0.220"),
        (0.085, "8.50e-2"),
        (-6.2511e-5, "-6.25e-5"),
        (42.0, "42.0"),
        (1234.4, "1234"),
        (9999.9, "1.00e4"),
        (0.09996, "0.100"),
        (1e-320, "1.00e-320"),
        (0.0, "0"),
        (-0.0, "0"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (None, "-"),
    ],
)
def test_number(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "interval", "text"),
    [
        (0.085, 0.001, "(8.5 +- 0.1)e-2"),
        (0.2694, 4.1e-4, "0.2694 +- 0.0005"),
        (0.2694, 1.2e-4, "0.2694 +- 1.2e-4"),
        (3.0, 0.0, "3.00 +- 0"),
        (0.0, 1.0e-7, "(0 +- 1)e-7"),
        (-1.0e-9, 0.5, "0.0 +- 0.5"),
        (42500.0, 60.0, "(4.250 +- 0.006)e4"),
        (1.0, 1.0e-9, "1.000 +- 1e-9"),
        (1.0, math.inf, "1.00 +- inf"),
        (1.0, math.nan, "1.00"),
        (1.0, None, "1.00"),
        (math.nan, 0.1, "nan"),
    ],
)
def test_with_interval(value: float, interval: float | None, text: str) -> None:
    assert with_interval(value, interval) == text


@given(value=st.floats(-1e300, 1e300))
def test_number_is_within_half_a_percent(value: float) -> None:
    # Below the normal range the text may name a neighbour; 5e-324 has no third digit.
    assert float(number(value)) == pytest.approx(value, rel=5.1e-3, abs=1e-321)


@given(
    value=st.floats(-1e300, 1e300, allow_subnormal=False),
    interval=st.floats(min_value=1e-300, max_value=1e300, allow_subnormal=False),
)
def test_shown_interval_is_never_much_smaller_and_never_double(value: float, interval: float) -> None:
    text = with_interval(value, interval)
    assert text.isascii()
    scaled = re.fullmatch(r"\((.*) \+- (.*)\)(e-?\d+)", text)
    shown = float(f"{scaled[2]}{scaled[3]}") if scaled else float(text.split(" +- ")[1])
    assert 0.95 * interval <= shown <= 1.5 * interval


@pytest.mark.parametrize(("fraction", "text"), [(0.36, "36 %"), (0.011, "1.1 %"), (1e-5, "1.0e-3 %")])
def test_percent(fraction: float, text: str) -> None:
    assert percent(fraction) == text


def test_units() -> None:
    assert [seconds(3.62), seconds(147.2)] == ["3.6 s", "147 s"]
    assert [memory(231 * 2**20), memory(3 * 2**29)] == ["231 MiB", "1.5 GiB"]
    assert [count(1, "run"), count(0, "run")] == ["1 run", "0 runs"]
    assert [counter(2.0), counter(0.0625), counter(math.inf)] == ["2", "6.25e-2", "inf"]
