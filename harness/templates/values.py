"""Values given on the command line, and how they enter a script: as Python literals, never as code."""

from __future__ import annotations

import ast
import json
import math
import pprint
from typing import Any


class Printable(str):
    """Text that a filter made safe for the kind of file it goes into. A template may print nothing else."""

    __slots__ = ()


class NotALiteral(ValueError):
    """A value that has no faithful spelling as a literal."""


def parse(text: str) -> Any:
    """What `--set NAME=TEXT` means: a Python literal or JSON where it is one, else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def literal(value: Any) -> Printable:
    """The value as Python source that evaluates to it again.

    Raises:
        NotALiteral: it holds something other than numbers, texts, booleans, None, lists, tuples and dictionaries.
    """
    _check(value)
    return Printable(pprint.pformat(value, width=112, sort_dicts=False))


def _check(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise NotALiteral(f"{value} is not a finite number")
    if isinstance(value, dict):
        for key, entry in value.items():
            _check(key)
            _check(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            _check(entry)
    elif value is not None and type(value) not in (bool, int, float, str):
        raise NotALiteral(f"a value of type {type(value).__name__} cannot be written as a literal")
