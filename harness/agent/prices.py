"""What a model costs. The one place with prices; `--price` and `pyproject.toml` override it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from harness.options import UsageError

AS_OF: Final = "2026-11"


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cache_write: float
    cache_read: float

    def of(self, input_tokens: int, output_tokens: int, cache_write_tokens: int, cache_read_tokens: int) -> float:
        """US dollars of one reply."""
        parts = (
            input_tokens * self.input,
            output_tokens * self.output,
            cache_write_tokens * self.cache_write,
            cache_read_tokens * self.cache_read,
        )
        return sum(parts) / 1e6


# A model with two prices by length of the context has the higher one here: a limit must not be overrun.
_PRICES: Final[dict[str, Price]] = {
    "claude-fable-5-2": Price(8, 40, 10, 0.2),
    "claude-mythos-5-2": Price(8, 40, 10, 0.2),
    "claude-fable-5-1": Price(10, 50, 12.5, 0.25),
    "claude-fable-5": Price(10, 50, 12.5, 1),
    "claude-opus-5-5": Price(4, 20, 5, 0.2),
    "claude-opus-5": Price(5, 25, 6.25, 0.5),
    "claude-opus-4-8": Price(5, 25, 6.25, 0.5),
    "claude-opus-4-7": Price(5, 25, 6.25, 0.5),
    "claude-opus-4-6": Price(5, 25, 6.25, 0.5),
    "claude-opus-4-5": Price(5, 25, 6.25, 0.5),
    "claude-sonnet-5-5": Price(2, 10, 2.5, 0.1),
    "claude-sonnet-5": Price(2, 10, 2.5, 0.2),
    "claude-sonnet-4-6": Price(3, 15, 3.75, 0.3),
    "claude-sonnet-4-5": Price(6, 22.5, 7.5, 0.6),
    "claude-haiku-5-5": Price(0.5, 2.5, 0.625, 0.05),
    "claude-haiku-4-5": Price(1, 5, 1.25, 0.1),
}


def price_of(model: str, given: str | None) -> Price | None:
    """The price of a model: what the user gave, else the table's; None where neither knows.

    A name with a date at the end has the price of the name without it.

    Raises:
        UsageError: what the user gave is no price.
    """
    if given:
        return parse(given)
    dated, _, date = model.rpartition("-")
    return _PRICES.get(model) or (_PRICES.get(dated) if len(date) == 8 and date.isdigit() else None)


def parse(given: str) -> Price:
    """``INPUT,OUTPUT`` or ``INPUT,OUTPUT,CACHE_WRITE,CACHE_READ``; cached tokens cost 1.25 and 0.1 x input if left out.

    Raises:
        UsageError: it is something else.
    """
    try:
        numbers = [float(part) for part in given.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4) or any(not 0 <= number < 1e6 for number in numbers):
        raise UsageError(
            f"`--price {given}` is not INPUT,OUTPUT or INPUT,OUTPUT,CACHE_WRITE,CACHE_READ in US dollars per million "
            "tokens, for example --price 4,20."
        )
    if len(numbers) == 2:
        numbers += [1.25 * numbers[0], 0.1 * numbers[0]]
    return Price(*numbers)
