"""Which branches of the user's kernels are taken, for one execution that is compared with another.

Kernels are built from their syntax tree. Before each statement that decides and at the start of each body, a store is
added to a byte of memory that lies at a fixed address, so that the kernel cache knows the same kernel again. The host
reads the bytes at the end. Only on the CPU, where kernels share the memory of the process.
"""

from __future__ import annotations

import ast
import copy
import ctypes
import functools
import mmap
from collections.abc import Callable
from typing import Any

import warp as wp

from ...record.internals import codegen

ADDRESS = 0x5A5A_0000_0000
SLOTS = 1 << 16
_NO_REPLACE = 0x10_0000
"""Fail where something else lies at the address."""

_Body = list[ast.stmt]


class KernelLines:
    """Collects line numbers by file; ``is_program`` says whose a file is."""

    def __init__(self, is_program: Callable[[str], bool]) -> None:
        self._is_program = is_program
        self._slots: dict[tuple[str, int], int] = {}
        self._flags: Any = None

    def install(self) -> bool:
        """Instrument kernels and functions that are defined from now on; False where that cannot be."""
        if not _reserve():
            return False
        self._flags = (ctypes.c_uint8 * SLOTS).from_address(ADDRESS)
        original = codegen.Adjoint.__init__

        @functools.wraps(original)
        def build(adj: Any, *args: Any, **kwargs: Any) -> None:
            original(adj, *args, **kwargs)
            if self._is_program(adj.filename):
                self._instrument(adj)

        codegen.Adjoint.__init__ = build
        return True

    def seen(self) -> dict[str, set[int]]:
        """Lines that ran, by file."""
        found: dict[str, set[int]] = {}
        for (file, line), slot in self._slots.items():
            if self._flags[slot]:
                found.setdefault(file, set()).add(line)
        return found

    def _instrument(self, adj: Any) -> None:
        warp_name = _name_of_warp(adj.func)
        if warp_name is None:
            return
        store = functools.partial(self._store, warp_name, adj.filename, int(adj.fun_lineno))
        adj.tree = _Stores(store).visit(copy.deepcopy(adj.tree))  # a tree may be shared
        lines = " ".join(str(slot) for (file, _), slot in self._slots.items() if file == adj.filename)
        adj.source = f"{adj.source}\n# stores {lines}"  # what the kernel cache goes by

    def _store(self, warp_name: str, file: str, first: int, node: ast.stmt) -> _Body:
        slot = self._slots.setdefault((file, first + node.lineno - 1), len(self._slots))
        if slot >= SLOTS:
            return []
        memory = f"{warp_name}.array(ptr={warp_name}.uint64({ADDRESS}), shape=({SLOTS},), dtype={warp_name}.uint8)"
        statements = ast.parse(f"{memory}[{slot}] = {warp_name}.uint8(1)").body
        for statement in statements:
            for part in ast.walk(statement):
                ast.copy_location(part, node)
        return statements


class _Stores(ast.NodeTransformer):
    """Adds a store before each statement that decides, and at the start of each of its bodies."""

    def __init__(self, store: Callable[[ast.stmt], _Body]) -> None:
        self._store = store

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        is_branch = isinstance(node, (ast.If, ast.For, ast.While))
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and (is_branch or isinstance(node, ast.FunctionDef)):
                setattr(node, name, self._with_stores(body, is_branch))
        return node

    def _with_stores(self, body: _Body, is_branch: bool) -> _Body:
        made: _Body = []
        for number, statement in enumerate(body):
            decides = isinstance(statement, (ast.If, ast.For, ast.While))
            if decides or (number == 0 and is_branch):
                made += self._store(statement)
            made.append(statement)
        return made


def _name_of_warp(function: Any) -> str | None:
    names = getattr(function, "__globals__", {})
    return next((name for name, value in names.items() if value is wp and name.isidentifier()), None)


def _reserve() -> bool:
    """Map the memory at its address; False where the platform or the address does not allow it."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_REPLACE
        got = libc.mmap(ADDRESS, SLOTS, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    except (OSError, AttributeError):
        return False
    return bool(got == ADDRESS)
