"""Well-known functions that open files in compiled code, where patching `open` does not reach.

Each gets the scratch path of what it asks for. The table names them; modules that are not loaded yet are wrapped
when the program imports them.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from .loaders import AfterImport
from .overlay_layers import Layers


class NativeCall(NamedTuple):
    """A function that opens the file named by one argument; `mode` is (position, keyword, default) of its mode."""

    module: str
    attribute: str
    position: int
    keyword: str
    mode: tuple[int, str, str] | None = None
    suffixes: tuple[str, ...] = ("",)


_READ: tuple[int, str, str] = (99, "", "r")  # always reads
NATIVE_CALLS = (
    NativeCall("sqlite3", "connect", 0, "database", suffixes=("", "-wal", "-shm", "-journal")),
    NativeCall("sqlite3.dbapi2", "connect", 0, "database", suffixes=("", "-wal", "-shm", "-journal")),
    NativeCall("dbm", "open", 0, "file", suffixes=("", ".db", ".dat", ".dir", ".pag", ".bak")),
    NativeCall("h5py", "File.__init__", 1, "name", mode=(2, "mode", "r")),
    NativeCall("torch", "save", 1, "f"),
    NativeCall("torch.serialization", "save", 1, "f"),
    NativeCall("cv2", "imwrite", 0, "filename"),
    NativeCall("cv2", "imread", 0, "filename", mode=_READ),
    NativeCall("pxr.Usd", "Stage.CreateNew", 0, "identifier"),
    NativeCall("pxr.Usd", "Stage.Open", 0, "filePath", mode=_READ),
)
BLIND_SPOTS = (
    "Files written by compiled code that does not go through Python's `open`, other than "
    + ", ".join(sorted({f"{call.module}.{call.attribute}".replace(".__init__", "") for call in NATIVE_CALLS}))
    + "."
)


class NativeCalls:
    """Wraps the functions of the table, now or when their module is imported."""

    def __init__(self, layers: Layers, warp_cache: str) -> None:
        self.layers = layers
        self.warp_cache = warp_cache
        self._undo: list[Callable[[], None]] = []
        self._imports = AfterImport(dict.fromkeys({call.module for call in NATIVE_CALLS}, self._patch))
        self._imports.callbacks["warp._src.build"] = self._patch_warp_cache

    def install(self) -> None:
        """Wrap what is loaded and wait for the rest."""
        for name, callback in list(self._imports.callbacks.items()):
            if name in sys.modules:
                callback(sys.modules[name])
        self._imports.install()

    def uninstall(self) -> None:
        """Put the original functions back."""
        self._imports.uninstall()
        while self._undo:
            self._undo.pop()()

    def _patch(self, module: Any) -> None:
        for call in NATIVE_CALLS:
            if call.module == module.__name__:
                owner, name = _owner(module, call.attribute)
                if owner is not None:
                    self._replace(owner, name, self._wrapper(getattr(owner, name), call))

    def _replace(self, owner: Any, name: str, replacement: Any) -> None:
        was = vars(owner)[name] if name in vars(owner) else getattr(owner, name)
        setattr(owner, name, staticmethod(replacement) if isinstance(was, staticmethod) else replacement)
        self._undo.append(lambda: setattr(owner, name, was))

    def _wrapper(self, function: Callable[..., Any], call: NativeCall) -> Callable[..., Any]:
        @functools.wraps(function)
        def redirected(*args: Any, **options: Any) -> Any:
            values: list[Any] = list(args)
            mode = _argument(values, options, call.mode[0], call.mode[1], call.mode[2]) if call.mode else "w"
            if call.position < len(values):
                values[call.position] = self._redirect(values[call.position], call, mode)
            elif call.keyword in options:
                options[call.keyword] = self._redirect(options[call.keyword], call, mode)
            return function(*values, **options)

        return redirected

    def _redirect(self, path: Any, call: NativeCall, mode: str) -> Any:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return path  # an open file
        text = os.fsdecode(path)
        if text in ("", ":memory:") or text.startswith("file::memory:"):
            return path
        prefix, query = "", ""
        if text.startswith("file:"):
            text, mark, rest = text[5:].partition("?")
            prefix, query = "file:", mark + rest
        place = self.layers.canonical(text)
        if self.layers.is_free(place):
            return path
        if mode == "r":
            return prefix + (self.layers.look(place) or self.layers.upper(place)) + query
        self.layers.prepare_parent(place, path)
        for suffix in call.suffixes:
            if self.layers.mode(place + suffix):
                self.layers.copy_up(place + suffix)
        return prefix + self.layers.upper(place) + query

    def _patch_warp_cache(self, build: Any) -> None:
        """Compiled kernels are written by native code: keep them in the usual cache, whatever the program says."""
        original = build.init_kernel_cache

        @functools.wraps(original)
        def init_kernel_cache(path: str | None = None) -> Any:
            wanted = path or os.environ.get("WARP_CACHE_PATH")
            if wanted and not self.layers.is_free(self.layers.canonical(wanted)):
                path = self.warp_cache
            return original(path)

        self._replace(build, "init_kernel_cache", init_kernel_cache)


def _owner(module: Any, attribute: str) -> tuple[Any, str]:
    owner, names = module, attribute.split(".")
    for name in names[:-1]:
        owner = getattr(owner, name, None)
    return (owner, names[-1]) if hasattr(owner, names[-1]) else (None, names[-1])


def _argument(values: list[Any], options: dict[str, Any], position: int, keyword: str, default: str) -> str:
    return str(values[position] if position < len(values) else options.get(keyword, default))
