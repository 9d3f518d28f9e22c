"""Types of the variables of templates: what a value may be, and what is said when it is something else."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

_REFERENCE = re.compile(r"(?:[^:\0]+\.py|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ARRAY = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[-?\d+\]|\[['\"]\w+['\"]\])*")


def _reference(text: str) -> str:
    if not _REFERENCE.fullmatch(text):
        raise ValueError(f"`{text}` is not FILE.py:NAME or package.module:NAME")
    return text


def _file(text: str) -> str:
    if not text.endswith(".py"):
        raise ValueError(f"`{text}` is not a Python file")
    return text


def _array_name(text: str) -> str:
    if not _ARRAY.fullmatch(text):
        raise ValueError(f"`{text}` is not the name of an array, such as params, model.q or states[0].q")
    return text


def _name(text: str) -> str:
    if not text.isidentifier():
        raise ValueError(f"`{text}` is not a name")
    return text


def _argument(value: Any) -> Any:
    """An argument of a kernel: contents, or the shape of an array of zeros."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, dict):
        return _contents(value)
    shape = value.get("shape")
    sizes = shape if isinstance(shape, list) else [shape]
    if set(value) != {"shape"} or not all(type(size) is int and size > 0 for size in sizes):
        raise ValueError(f'{value!r} is not {{"shape": N}} or {{"shape": [N, M]}}')
    return value


def _contents(value: Any) -> Any:
    """A reference, a number, or nested lists of numbers."""
    if isinstance(value, str):
        return _reference(value)
    if isinstance(value, list | tuple):
        if not value:
            raise ValueError("contents may not be empty")
        return [_contents(entry) if not isinstance(entry, str) else _no_number(entry) for entry in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return _no_number(value)
    return value


def _no_number(value: Any) -> Any:
    raise ValueError(f"{value!r} is not a finite number; give numbers, nested lists of them, or FILE.py:NAME")


Reference = Annotated[str, AfterValidator(_reference)]
ScriptFile = Annotated[str, AfterValidator(_file)]
ArrayName = Annotated[str, AfterValidator(_array_name)]
Name = Annotated[str, AfterValidator(_name)]
Argument = Annotated[Any, AfterValidator(_argument)]
Contents = Annotated[Any, AfterValidator(_contents)]
Parameters = Annotated[
    dict[str, Contents] | list[ArrayName],
    Field(
        min_length=1,
        description="for a function: name and contents of each parameter (numbers, or FILE.py:NAME); "
        "for a script: names of the arrays in it",
        examples=[{"gain": [1.0, 0.4]}, ["params"]],
    ),
]
Dtypes = Annotated[
    dict[str, str],
    Field(
        default_factory=dict,
        description="for a function: Warp types of parameters that are not float32",
        examples=[{"q": "vec3"}],
    ),
]
Arguments = Annotated[
    list[str], Field(default_factory=list, description="arguments of the script", examples=[["--steps", "8"]])
]
Backwards = Annotated[
    int, Field(default=1, ge=1, description="calls of backward() that make up one iteration of the script")
]
Iteration = Annotated[int, Field(default=0, ge=0, description="iteration of the script to look at, from 0")]
Constants = Annotated[
    dict[str, int | float | bool | str],
    Field(
        default_factory=dict,
        description="module-level constants of the script to replace while it is loaded",
        examples=[{"STEPS": 8}],
    ),
]
