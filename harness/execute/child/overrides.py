"""`--set NAME=VALUE` and `--set module.NAME=VALUE`: other constants, the same files.

The value is put into the syntax tree while the module is loaded, so expressions that use the name see it too
(`STEPS * 2`), line numbers stay, and `inspect.getsource` shows the file as it is.
"""

from __future__ import annotations

import ast
import difflib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from . import overrides_source as source_tree
from .loaders import SpecFinder

_SHOWN_NAMES = 6


class OverrideError(Exception):
    """An override that cannot be applied; the message is for the user."""


class AppliedOverride(NamedTuple):
    """One assignment that got another value."""

    name: str  # as the user gave it
    value: str
    old: str
    file: str
    line: int
    assignments: int  # how many assignments of this name were replaced

    def sentence(self) -> str:
        """One line for the report."""
        more = f", one of {self.assignments} assignments replaced" if self.assignments > 1 else ""
        return f"`{self.name}` is {self.value} instead of {self.old} ({self.file}:{self.line}{more})."


class Overrides:
    """The overrides of one run, and what became of them.

    Args:
        values: `NAME` (main program) or `module.NAME`, each with the text of its value.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self.applied: list[AppliedOverride] = []
        self._main_name: str | None = None
        self._main: dict[str, str] = {}
        self._modules: dict[str, dict[str, str]] = {}
        self._waiting: set[str] = set()
        for given, value in values.items():
            module, _, name = given.rpartition(".")
            if not all(part.isidentifier() for part in given.split(".")):
                raise OverrideError(f"`{given}` is not a name; write --set NAME=VALUE or --set module.NAME=VALUE.")
            if module in ("", "__main__"):
                self._main[name] = value
            else:
                self._modules.setdefault(module, {})[name] = value
                self._waiting.add(module)
        self._finder = _Finder(self)

    @staticmethod
    def parse(settings: Sequence[str]) -> dict[str, str]:
        """`["N=4", "sim.DT=1e-2"]` to a mapping; raises `OverrideError` where there is no `=`."""
        values = {}
        for setting in settings:
            name, equals, value = setting.partition("=")
            if not equals:
                raise OverrideError(f"`{setting}` has no value; write --set {setting or 'NAME'}=VALUE.")
            values[name.strip()] = value
        return values

    def install(self, main_name: str | None = None) -> None:
        """Take part in imports from now on; `main_name` is the module that `-m` runs as the main program."""
        self._main_name = main_name
        if main_name in self._modules:
            self._main.update(self._modules.pop(main_name))
            self._waiting.discard(main_name)
        loaded = sorted(name for name in self._modules if name in sys.modules)
        for name in loaded:
            self._set_loaded(name, sys.modules[name])
        if self._modules:
            self._finder.install()

    def uninstall(self) -> None:
        """Take no more part in imports."""
        self._finder.uninstall()

    def compile_main(self, source: bytes, filename: str) -> CodeType:
        """Compile the main program with its overrides."""
        return self._compile(source, filename, "", self._main)

    def compile_module(self, source: bytes, filename: str, module: str) -> CodeType:
        """Compile an imported module with its overrides."""
        self._waiting.discard(module)
        return self._compile(source, filename, module, self._modules.get(module, {}))

    def wants(self, module: str) -> bool:
        """Whether a constant of `module` is to be replaced."""
        return module in self._modules

    def check(self) -> None:
        """After the program ran: raise `OverrideError` if a named module was never loaded."""
        for module in sorted(self._waiting):
            name = next(iter(self._modules[module]))
            why = f"the program did not import `{module}`{_close(module, sys.modules)}"
            raise OverrideError(f"`{module}.{name}` was not replaced: {why}.")

    def _compile(self, source: bytes, filename: str, module: str, values: dict[str, str]) -> CodeType:
        if not values:
            return compile(source, filename, "exec", dont_inherit=True)
        tree: Any = compile(source, filename, "exec", flags=ast.PyCF_ONLY_AST, dont_inherit=True)
        text = decode(source)
        known = source_tree.constants(tree, text)
        for name, value in values.items():
            given = f"{module}.{name}" if module else name
            new = source_tree.parse_value(value)
            replaced = source_tree.replace(tree, text, name, new)
            if not replaced:
                raise OverrideError(_not_found(given, name, filename, known))
            for old in replaced:
                _check_type(given, value, new, old, filename)
                self.applied.append(AppliedOverride(given, value, old.source, filename, old.line, len(replaced)))
        return compile(tree, filename, "exec", dont_inherit=True)

    def _set_loaded(self, name: str, module: ModuleType) -> None:
        """A module that was there before the program: its constants can only be set, not what follows from them."""
        self._waiting.discard(name)
        file = getattr(module, "__file__", None) or name
        for constant, value in self._modules.pop(name).items():
            if not hasattr(module, constant):
                raise OverrideError(f"`{name}` has no `{constant}`{_close(constant, vars(module))}.")
            old = getattr(module, constant)
            setattr(module, constant, ast.literal_eval(source_tree.parse_value(value).node))
            self.applied.append(AppliedOverride(f"{name}.{constant}", value, repr(old), file, 1, 1))


class _Finder(SpecFinder):
    """Gives the modules with overrides a loader that puts them in."""

    def __init__(self, overrides: Overrides) -> None:
        self._overrides = overrides

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The usual spec with our loader, for modules with overrides only."""
        if not self._overrides.wants(fullname):
            return None
        spec = self.usual_spec(fullname, path, target)
        if spec is None:
            return None
        if not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            raise OverrideError(f"Constants of `{fullname}` cannot be replaced: it is not loaded from a Python file.")
        spec.loader = _Loader(fullname, spec.loader.path, self._overrides)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the module's source with its overrides; cached byte code has the old constants and is not used."""

    def __init__(self, fullname: str, path: str, overrides: Overrides) -> None:
        super().__init__(fullname, path)
        self._overrides = overrides

    def get_code(self, fullname: str) -> CodeType:
        """Code of the module with the new constants."""
        path = self.get_filename(fullname)
        return self._overrides.compile_module(self.get_data(path), path, fullname)


def decode(source: bytes) -> str:
    """Text of a Python file, by its own coding line or byte order mark."""
    return importlib.util.decode_source(source)


def _check_type(given: str, value: str, new: source_tree.Replacement, old: source_tree.Constant, filename: str) -> None:
    """A number replaced by a word is a slip of the pen (`1O`), and would surface far away."""
    if not new.is_bare_text:
        return
    try:
        was = ast.literal_eval(old.source)
    except (ValueError, SyntaxError):
        return
    if not isinstance(was, str) and was is not None:
        raise OverrideError(
            f"`{given}` is {old.source} at {filename}:{old.line}, and `{value}` is not a Python literal."
        )


def _not_found(given: str, name: str, filename: str, known: list[source_tree.Constant]) -> str:
    message = f"`{given}` is not assigned at the top level of {filename}"
    lines = {constant.name: constant.line for constant in reversed(known)}
    close = difflib.get_close_matches(name, lines, n=3, cutoff=0.6)
    if close:
        return f"{message}; did you mean " + " or ".join(f"`{found}` (line {lines[found]})" for found in close) + "?"
    if not lines:
        return f"{message}, and neither is any other name."
    shown = [f"`{found}` (line {line})" for found, line in sorted(lines.items(), key=lambda item: item[1])]
    rest = f" and {len(shown) - _SHOWN_NAMES} more" if len(shown) > _SHOWN_NAMES else ""
    return f"{message}; assigned there are " + ", ".join(shown[:_SHOWN_NAMES]) + rest + "."


def _close(name: str, names: Any) -> str:
    close = difflib.get_close_matches(name, [found for found in names if isinstance(found, str)], n=1, cutoff=0.7)
    return f" (did you mean `{close[0]}`?)" if close else ""
