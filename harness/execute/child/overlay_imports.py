"""Importing modules that the program itself has written.

The import system reads files without `os` and `open`, so it sees only the user's layer.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import stat
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType

from .overlay_layers import Layers, real


class WrittenModules(importlib.abc.MetaPathFinder):
    """Finds modules whose file is in scratch; everything else is left to the usual finders."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers

    def install(self) -> None:
        """Look before the usual finders, which may know an older version of the file."""
        sys.meta_path.insert(0, self)

    def uninstall(self) -> None:
        """Look no more."""
        sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for a module or package in scratch, with the path the program knows."""
        name = fullname.rpartition(".")[2]
        for entry in sys.path if path is None else path:
            folder = self._layers.canonical(entry or ".")
            if not real.access(self._layers.upper(folder), os.F_OK):
                continue
            for file, is_package in ((f"{folder}/{name}/__init__.py", True), (f"{folder}/{name}.py", False)):
                if self._is_written(file):
                    loader = _Loader(fullname, file)
                    places = [os.path.dirname(file)] if is_package else None
                    return importlib.util.spec_from_file_location(
                        fullname, file, loader=loader, submodule_search_locations=places
                    )
        return None

    def _is_written(self, file: str) -> bool:
        where = self._layers.look(file)
        return where == self._layers.upper(file) and stat.S_ISREG(self._layers.mode(file))


class _Loader(importlib.machinery.SourceFileLoader):
    """Reads the source through `open`, and takes no byte code."""

    def get_data(self, path: str) -> bytes:
        """Contents of the program's own version of `path`."""
        with open(path, "rb") as stream:
            return stream.read()

    def get_code(self, fullname: str) -> CodeType:
        """Code of the module, compiled afresh."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)
