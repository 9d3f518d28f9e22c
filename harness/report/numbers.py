"""Numbers as a reader wants them: three significant digits, and intervals that say how many of them count.

Only ASCII, so that a report survives any terminal, log and mail. `8.50e-2` stands for 0.0850; between 0.1 and 10,000
the exponent is left out. An interval decides the digits of its value: `0.269 +- 0.001`, `(8.5 +- 0.1)e-2`.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal

_PLAIN_EXPONENTS = range(-1, 4)
_MOST_DIGITS = 4


def number(value: float | None, digits: int = 3) -> str:
    """Return `value` with `digits` significant digits; "-" for None."""
    if value is None:
        return "-"
    if not math.isfinite(value):
        return str(value)
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    if int(exponent) in _PLAIN_EXPONENTS:
        return f"{value:.{max(0, digits - 1 - int(exponent))}f}"
    return f"{mantissa}e{int(exponent)}"


def factor(value: float | None) -> str:
    """Return a ratio of two numbers that differ: one close to 1 shows by how much."""
    is_close = value is not None and 0.0 < abs(value - 1.0) < 0.01
    return number(value, 5 if is_close else 3)


def with_interval(value: float, interval: float | None) -> str:
    """Return `value` with its half-width `interval`, rounded where the interval makes further digits meaningless."""
    if interval is None or math.isnan(interval) or not math.isfinite(value):
        return number(value)
    if interval == 0.0 or math.isinf(interval):
        return f"{number(value)} +- {number(interval)}"
    half_width = _round_up(interval)
    last = int(half_width.as_tuple().exponent)
    first = max(Decimal(value).adjusted() if value else last, half_width.adjusted())
    if first - last >= _MOST_DIGITS:
        return f"{number(value, _MOST_DIGITS)} +- {number(float(half_width), len(half_width.as_tuple().digits))}"
    if first in _PLAIN_EXPONENTS:
        return f"{_fixed(Decimal(value), -last)} +- {_fixed(half_width, -last)}"
    digits = first - last
    return f"({_fixed(Decimal(value).scaleb(-first), digits)} +- {_fixed(half_width.scaleb(-first), digits)})e{first}"


def percent(fraction: float) -> str:
    """Return a fraction as a percentage: 0.36 gives "36 %"."""
    return f"{number(100.0 * fraction, 2)} %"


def counter(value: float) -> str:
    """Return a value that often counts something, such as an iteration: 2.0 gives "2", 0.0625 gives "6.25e-2"."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e6 else number(value)


def seconds(value: float) -> str:
    """Return a duration in seconds."""
    return f"{value:.1f} s" if value < 100.0 else f"{value:.0f} s"


def memory(size: int) -> str:
    """Return a size in bytes in MiB, or in GiB from there on."""
    mebibytes = size / 2**20
    return f"{mebibytes:.0f} MiB" if mebibytes < 1024.0 else f"{mebibytes / 1024.0:.1f} GiB"


def count(amount: int, noun: str) -> str:
    """Return "1 run", "3 runs"."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def _round_up(interval: float) -> Decimal:
    """Round to one digit, or to two where one digit would overstate the interval by more than a quarter."""
    exact = abs(Decimal(interval))
    # 0.1 % is not worth a digit: without it 0.0010000001 would become 0.002.
    target = exact * Decimal("0.999")
    first = (exact * Decimal("1.001")).adjusted()
    for digits in (1, 2):
        rounded = target.quantize(Decimal(1).scaleb(first - digits + 1), rounding=ROUND_CEILING)
        if rounded <= exact * Decimal("1.25"):
            break
    return rounded


def _fixed(value: Decimal, decimals: int) -> str:
    text = f"{value:.{max(0, decimals)}f}"
    return text.lstrip("-") if float(text) == 0.0 else text
