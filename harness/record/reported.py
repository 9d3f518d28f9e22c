"""Scalars the program reports: numbers it keeps in variables, prints, or reads from one-element arrays.

Which of them is "the loss" is decided elsewhere, by how they react to the parameter; nothing here looks at names.
"""

from __future__ import annotations

import builtins
import math
import sys
import types
from typing import Any

import numpy as np

from .sites import SiteTable

MAX_SCALARS = 200
ARRAY = "array made at "


class Reported:
    """Collects what `print` is given; `scalars` adds the variables of the user's frames."""

    def __init__(self, sites: SiteTable) -> None:
        self._sites = sites
        self._printed: dict[str, float] = {}

    def install(self) -> None:
        """Listen to ``print``."""
        original = builtins.print

        def listening(*args: Any, **kwargs: Any) -> None:
            for index, value in enumerate(args):
                number = _number(value)
                if number is not None:
                    self._printed[f"print argument {index + 1}"] = number
            original(*args, **kwargs)

        builtins.print = listening

    def note_array(self, buffer: str, value: float) -> None:
        """A one-element array was read on the host; named by where such arrays are made."""
        if math.isfinite(value):
            self._printed[f"{ARRAY}{buffer.rpartition('#')[0]}"] = value

    def scalars(self) -> dict[str, float]:
        """Name and value of every finite number in reach of the user's frames on the stack."""
        found = dict(self._printed)
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and len(found) < MAX_SCALARS:
            if self._sites.is_users(frame.f_code.co_filename):
                for name, value in list(frame.f_locals.items()):
                    number = _number(value[-1]) if isinstance(value, list) and value else _number(value)
                    if number is not None and not name.startswith("__"):
                        found.setdefault(name, number)
            frame = frame.f_back
        return found


def _number(value: Any) -> float | None:
    if isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.size == 1):
        try:
            number = float(np.asarray(value).reshape(-1)[0])
        except (TypeError, ValueError):
            return None
        return number if math.isfinite(number) else None
    return None
