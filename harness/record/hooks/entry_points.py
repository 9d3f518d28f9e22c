"""Entry points of Warp, wherever they are referred to, and what they are called with."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any


def replace_everywhere(original: Any, replacement: Any) -> None:
    """Replace a function in every loaded module of Warp that refers to it."""
    for name, module in list(sys.modules.items()):
        if name == "warp" or name.startswith("warp."):
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, replacement)


def named_arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name, without the cost of `inspect.Signature.bind` on every launch."""
    names = _parameter_names(function)
    return {**dict(zip(names, args, strict=False)), **kwargs}


@functools.cache
def _parameter_names(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)
