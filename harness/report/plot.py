"""Points of a small curve, scaled to a box, for a series of numbers that may span decades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

WIDTH: Final = 240
HEIGHT: Final = 60
_DECADES_FOR_LOG: Final = 2.0


def polyline(x: Sequence[float], y: Sequence[float]) -> str:
    """Return "x,y x,y ..." in a WIDTH x HEIGHT box with y upwards; empty with fewer than two finite points.

    An axis is logarithmic when all its values are positive and span more than two decades.
    """
    points = [(a, b) for a, b in zip(x, y, strict=True) if math.isfinite(a) and math.isfinite(b)]
    if len(points) < 2:
        return ""
    across = _scaled([a for a, _ in points], WIDTH)
    up = _scaled([b for _, b in points], HEIGHT)
    return " ".join(f"{a:.1f},{HEIGHT - b:.1f}" for a, b in zip(across, up, strict=True))


def _scaled(values: Sequence[float], size: int) -> list[float]:
    low, high = min(values), max(values)
    if low > 0.0 and math.log10(high) - math.log10(low) > _DECADES_FOR_LOG:
        values = [math.log10(value) for value in values]
        low, high = min(values), max(values)
    # Halves, since the difference of two large floats of opposite sign overflows.
    span = high / 2 - low / 2
    if span == 0.0:
        return [size / 2] * len(values)
    return [size * ((value / 2 - low / 2) / span) for value in values]
