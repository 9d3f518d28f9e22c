"""Taking part in the import of named modules, ahead of the usual finders."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any


class SpecFinder(importlib.abc.MetaPathFinder):
    """Base of finders that change the spec which the remaining finders give for certain names."""

    def install(self) -> None:
        """Take part in imports from now on."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def uninstall(self) -> None:
        """Stop taking part."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def usual_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        """What the finders after this one answer."""
        after = sys.meta_path.index(self) + 1 if self in sys.meta_path else 0
        for finder in sys.meta_path[after:]:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                return spec  # type: ignore[no-any-return]
        return None


class AfterImport(SpecFinder):
    """Calls `callbacks[name](module)` when module `name` has been executed."""

    def __init__(self, callbacks: dict[str, Callable[[ModuleType], None]]) -> None:
        self.callbacks = callbacks

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The usual spec, whose loader calls back at the end."""
        callback = self.callbacks.get(fullname)
        spec = self.usual_spec(fullname, path, target) if callback is not None else None
        if callback is None or spec is None or spec.loader is None:
            return None
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            callback(module)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            return None  # a built-in loader; none of the modules of interest has one
        return spec
