"""What a failed request means: try again, make the conversation shorter, or give up."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

import anthropic
import httpx2

from harness.agent.deadline import OutOfTime

_FIRST_WAIT = 1.0


@dataclass(frozen=True)
class Failure:
    """Why a request failed."""

    kind: Literal["retry", "too-long", "final"]
    why: str
    retry_after: float | None = None
    """Seconds that the service asks for."""


def failure_of(error: Exception) -> Failure | None:
    """None: this is no failure of the service but a fault of ours."""
    if isinstance(error, OutOfTime):
        return Failure("retry", f"the service did not answer: {error}")
    if isinstance(error, anthropic.APITimeoutError):
        return Failure("retry", "the service did not answer in time")
    if isinstance(error, anthropic.APIConnectionError):
        return Failure("retry", f"no connection to the service ({error.__cause__ or error})")
    if isinstance(error, httpx2.TransportError):
        return Failure("retry", f"the connection broke ({type(error).__name__})")
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error)
    if isinstance(error, (anthropic.AnthropicError, ValueError, AssertionError)):
        # A stream that ends early or a reply that is no proper JSON: the SDK has several ways to say so.
        return Failure("retry", f"the reply could not be read ({type(error).__name__}: {str(error)[:200]})")
    return None


def _of_status(error: anthropic.APIStatusError) -> Failure:
    message, status = _message(error), error.status_code
    why = f"{status}: {message}"
    if status == 413 or (status == 400 and _is_about_length(message)):
        return Failure("too-long", why)
    kind = error.type or ""
    passes = status in (408, 409, 429) or status >= 500 or kind in ("overloaded_error", "rate_limit_error", "api_error")
    if error.response.headers.get("x-should-retry") == "false" or not passes:
        return Failure("final", why)
    return Failure("retry", why, _seconds(error.response.headers.get("retry-after")))


def wait_before(attempt: int, failure: Failure, longest: float) -> float:
    """Seconds to wait before try number `attempt`, counted from 1."""
    if failure.retry_after is not None:
        return min(failure.retry_after, longest)
    return min(_FIRST_WAIT * 2.0 ** (attempt - 1) * random.uniform(0.75, 1.0), longest)


def _message(error: anthropic.APIStatusError) -> str:
    body = error.body
    inner = body.get("error") if isinstance(body, dict) else None
    said = inner.get("message") if isinstance(inner, dict) else None
    return str(said or error.message)[:500]


def _is_about_length(message: str) -> bool:
    lowered = message.lower()
    return "too long" in lowered or ("context" in lowered and ("exceed" in lowered or "limit" in lowered))


def _seconds(header: str | None) -> float | None:
    try:
        value = float(header) if header else None
    except ValueError:
        return None
    return value if value is not None and value >= 0 else None
