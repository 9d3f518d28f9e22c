"""Scalars the program reports: what it keeps in variables, returns, prints, logs, or reads from one-element arrays.

Which of them is "the loss" is decided elsewhere, by how they react to the parameter; nothing here looks at names.
"""

from __future__ import annotations

import builtins
import logging
import math
import os
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from .sites import SiteTable

MAX_SCALARS = 200
ARRAY = "array made at "
IN_FUNCTION = " in "
PRINTED = "printed at "
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")
"""A number with a fraction or an exponent: whole ones count iterations."""

Variable = tuple[types.CodeType, str]


class Reported:
    """Collects what is printed and what arrays are read; `scalars` adds the variables of the user's functions."""

    def __init__(self, sites: SiteTable) -> None:
        self._sites = sites
        self._arrays: dict[str, float] = {}
        self._printed: dict[str, float] = {}
        self._printed_variables: set[Variable] = set()
        self._returned: dict[Variable, float] = {}
        self._results: dict[str, float] = {}

    def install(self) -> None:
        """Listen to ``print`` and to log records."""
        original = builtins.print
        handle = logging.Logger.handle

        def listening(*args: Any, **kwargs: Any) -> None:
            self._note_output(args, sys._getframe(1))
            original(*args, **kwargs)

        def handling(logger: logging.Logger, record: logging.LogRecord) -> None:
            frame: types.FrameType | None = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename != record.pathname:
                frame = frame.f_back
            if frame is not None:
                self._note_output((record.getMessage(),), frame)
            handle(logger, record)

        builtins.print = listening
        setattr(logging.Logger, "handle", handling)  # noqa: B010 - mypy refuses to assign to a method

    def watch_returns(self) -> None:
        """From here on, note the variables of every function of the user's as it returns, and what it returns.

        Costs a call per call of the program's; meant for the few runs that are made for the scalars.
        """
        sys.setprofile(self._returning)

    def note_array(self, buffer: str, value: float) -> None:
        """A one-element array was read on the host; named by where such arrays are made."""
        if math.isfinite(value):
            self._arrays[f"{ARRAY}{buffer.rpartition('#')[0]}"] = value

    def scalars(self) -> dict[str, float]:
        """Name and value of finite numbers: what is printed, what is in reach of the user's frames on the stack, and
        what functions that are over have returned or had printed from a variable.
        """
        sys.setprofile(None)
        found = {**self._arrays, **self._printed}
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and len(found) < MAX_SCALARS:
            if self._sites.is_users(frame.f_code.co_filename):
                for name, number in self._variables(frame):
                    found.setdefault(name, number)
            frame = frame.f_back
        for (code, name), number in self._returned.items():
            if (code, name) in self._printed_variables:
                found.setdefault(f"{name}{IN_FUNCTION}{code.co_name}()", number)
        for name, number in self._results.items():
            found.setdefault(name, number)
        return found

    def _note_output(self, args: tuple[Any, ...], frame: types.FrameType) -> None:
        """Numbers of a line of output, and the variables of its function that hold them."""
        if not self._is_the_programs(frame.f_code.co_filename):
            return
        numbers = list(_numbers(args))
        place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        for index, (number, _) in enumerate(numbers):
            which = f", number {index + 1}" if len(numbers) > 1 else ""
            self._printed[f"{PRINTED}{place}{which}"] = number
        for name, value in self._variables(frame):
            if any(abs(value - number) <= quantum for number, quantum in numbers):
                self._printed_variables.add((frame.f_code, name))

    def _returning(self, frame: types.FrameType, event: str, result: Any) -> None:
        if event != "return" or not self._is_the_programs(frame.f_code.co_filename):
            return
        number = _number(result)
        if number is not None and len(self._results) < MAX_SCALARS:
            self._results[f"{frame.f_code.co_name}()"] = number
        for name, value in self._variables(frame):
            self._returned[(frame.f_code, name)] = value

    def _is_the_programs(self, file: str) -> bool:
        """False for installed packages, too: what numpy computes on the way to a number is nobody's report."""
        return "-packages" not in file and self._sites.is_users(file)

    def _variables(self, frame: types.FrameType) -> Iterator[tuple[str, float]]:
        """Numbers in the variables of a frame, in its containers, and in the attributes of its objects."""
        for name, value in list(frame.f_locals.items()):
            if name.startswith("__"):
                continue
            for path, held in self._held(name, value):
                number = _number(held[-1]) if isinstance(held, list) and held else _number(held)
                if number is not None:
                    yield path, number

    def _held(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        yield name, value
        if isinstance(value, dict):
            yield from ((f"{name}[{key!r}]", held) for key, held in list(value.items()) if isinstance(key, str))
        elif self._is_users_object(value):
            yield from ((f"{name}.{key}", held) for key, held in list(vars(value).items()))

    def _is_users_object(self, value: Any) -> bool:
        module = sys.modules.get(type(value).__module__)
        file = getattr(module, "__file__", None)
        return hasattr(value, "__dict__") and file is not None and self._sites.is_users(file)


def _numbers(args: tuple[Any, ...]) -> Iterator[tuple[float, float]]:
    """Every number of a line of output, and how far the value it was rounded from may be."""
    for value in args:
        number = _number(value)
        if number is not None:
            yield number, 1e-9 * abs(number)
        elif isinstance(value, str):
            for match in _NUMBER.finditer(value):
                yield float(match[0]), 0.5 * last_digit(match[0])


def last_digit(text: str) -> float:
    """What one unit of the last digit of a number is worth."""
    mantissa, _, exponent = text.lower().partition("e")
    return float(10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])))


def _number(value: Any) -> float | None:
    if isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.size == 1):
        try:
            number = float(np.asarray(value).reshape(-1)[0])
        except (TypeError, ValueError):
            return None
        return number if math.isfinite(number) else None
    return None
