"""How much a run may use, and how much it has used."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

from harness.agent.prices import Price
from harness.agent.settings import Settings

_NEARLY = 0.85
_FEW_REPLIES = 3


class LimitReached(BaseException):
    """A limit was reached while the SDK held control. No `Exception`, so that nothing on the way takes it for one."""


@dataclass
class Spent:
    """Used up so far, over all sessions of a run that was resumed."""

    replies: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    cost: float = 0.0
    """US dollars."""
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.input_tokens + self.output_tokens + self.cache_write_tokens + self.cache_read_tokens

    def as_dict(self) -> dict[str, Any]:
        """For the state of the run."""
        return asdict(self)


class Meter:
    """Counts what is used, and knows what is left. The clock runs from `start`."""

    def __init__(self, settings: Settings, price: Price, spent: Spent) -> None:
        self._settings = settings
        self._price = price
        self._before = spent.seconds
        self._started = time.monotonic()
        self._spent = spent

    @property
    def spent(self) -> Spent:
        """Used up until now."""
        self._spent.seconds = self._before + time.monotonic() - self._started
        return self._spent

    def add(self, usage: Any) -> float:
        """Count one reply of the service; returns what it cost, in US dollars."""
        written = usage.cache_creation_input_tokens or 0
        read = usage.cache_read_input_tokens or 0
        cost = self._price.of(usage.input_tokens or 0, usage.output_tokens or 0, written, read)
        self._spent.replies += 1
        self._spent.input_tokens += usage.input_tokens or 0
        self._spent.output_tokens += usage.output_tokens or 0
        self._spent.cache_write_tokens += written
        self._spent.cache_read_tokens += read
        self._spent.cost += cost
        return cost

    @property
    def seconds_left(self) -> float:
        """Wall time left, never negative."""
        return max(self._settings.max_seconds - self.spent.seconds, 0.0)

    def reply_tokens(self) -> int:
        """The longest reply that may be asked for now."""
        return max(min(self._settings.reply_tokens, self._settings.max_tokens - self.spent.tokens), 1)

    def reached(self) -> str | None:
        """The limit that is reached, in words."""
        spent, limits = self.spent, self._settings
        if spent.replies >= limits.max_replies:
            return f"{spent.replies} replies, the limit (--max-replies)"
        if spent.tokens >= limits.max_tokens:
            return f"{spent.tokens:,} tokens; the limit is {limits.max_tokens:,} (--max-tokens)"
        if spent.cost >= limits.max_cost:
            return f"${spent.cost:.2f}; the limit is ${limits.max_cost:.2f} (--max-cost)"
        if spent.seconds >= limits.max_seconds:
            return f"{spent.seconds:.0f} s; the limit is {limits.max_seconds:.0f} s (--max-seconds)"
        return None

    def warning(self) -> str | None:
        """What the model should know when little is left."""
        spent, limits = self.spent, self._settings
        left = limits.max_replies - spent.replies
        used = {
            "tokens": spent.tokens / limits.max_tokens,
            "money": spent.cost / limits.max_cost if limits.max_cost else 1.0,
            "time": spent.seconds / limits.max_seconds,
        }
        scarce = [name for name, share in used.items() if share > _NEARLY]
        if left > _FEW_REPLIES and not scarce:
            return None
        what = f"{left} more replies" if left <= _FEW_REPLIES else f"little {' and '.join(scarce)} left"
        return f"Budget: {what}. Call submit_findings now with what you have measured."
