"""Numbers and outcomes as reports write them."""

from __future__ import annotations

from evals.result import TrialResult
from evals.statistics import Estimate


def share(value: Estimate | None) -> str:
    """A share with its interval, in percent."""
    if value is None:
        return "-"
    return f"{100 * value.mean:.0f} [{100 * value.low:.0f}, {100 * value.high:.0f}]"


def shift(value: Estimate | None) -> str:
    """A difference of shares with its interval, in percentage points."""
    if value is None:
        return "-"
    return f"{100 * value.mean:+.0f} [{100 * value.low:+.0f}, {100 * value.high:+.0f}]"


def amount(value: float | None) -> str:
    """A mean without an interval."""
    return "-" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def dollars(value: float | None) -> str:
    """What a trial costs."""
    return "-" if value is None else f"{value:.2f}"


def outcome(result: TrialResult) -> str:
    """One word for a trial."""
    if result.status != "scored":
        return result.status
    return "solved" if result.solved else "not solved"


def shortfall(result: TrialResult) -> str:
    """Why a trial is not solved, in one line."""
    if result.status != "scored":
        return result.reason
    failed = [f"{c.name}: {c.detail}" for c in result.checks if not c.passed and c.part != "note"]
    said = [f"contradicted: {c}" for c in result.contradicted]
    return "; ".join([*([result.reason] if result.reason else []), *failed, *said])
