"""Interventions that compile the program's kernels another way; variants go to a cache of their own."""

from __future__ import annotations

import os
from typing import Any

import warp as wp

from ....record.internals import build, context
from ..overlay import warp_cache_folder
from .base import Intervention


def keep_variants_apart() -> None:
    """Kernels compiled another way go to a folder of their own inside the kernel cache."""
    wp.config.kernel_cache_dir = os.path.join(warp_cache_folder(), "variants")
    if context.runtime is not None:
        build.init_kernel_cache(wp.config.kernel_cache_dir)


class CompilerOptions(Intervention):
    """Set options of ``warp.config`` before the program starts, and keep module options from undoing them."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options

    def start(self) -> None:
        """Set them where this version of Warp knows them."""
        keep_variants_apart()
        for name, value in self._options.items():
            if hasattr(wp.config, name):
                setattr(wp.config, name, value)
        original = context.Module.__init__
        options = self._options

        def init(module: Any, *args: Any, **kwargs: Any) -> None:
            original(module, *args, **kwargs)
            module.options.update({k: v for k, v in options.items() if k in module.options})

        context.Module.__init__ = init


class DropCustomGradients(Intervention):
    """``@wp.func_grad`` and ``@wp.func_replay`` register nothing: Warp's own adjoint is compiled."""

    def __init__(self, functions: list[str] | None = None) -> None:
        self._functions = functions

    def start(self) -> None:
        """Make the decorators ineffective."""
        keep_variants_apart()
        for name in ("func_grad", "func_replay"):
            original = getattr(wp, name)

            def decorator(forward: Any, _original: Any = original) -> Any:
                key = getattr(forward, "key", getattr(forward, "__name__", ""))
                if self._functions is None or key in self._functions:
                    return lambda function: function
                return _original(forward)

            setattr(wp, name, decorator)
