"""What a recording says about a kernel: its source, the functions it calls, and how Warp is to differentiate it."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import warp as wp

from .internals import context


def describe(kernel: Any) -> dict[str, Any]:
    """Source, place and options of a kernel, and of the user's functions it calls, directly or not."""
    functions: dict[str, dict[str, Any]] = {}
    _collect(kernel.adj, getattr(kernel, "func", None), functions, depth=0)
    options = {**kernel.module.options, **(getattr(kernel, "options", None) or {})}
    return {
        **_source(kernel.adj),
        "constants": _constants(kernel.adj, getattr(kernel, "func", None)),
        "module": kernel.module.name,
        "arguments": [a.label for a in kernel.adj.args],
        "enable_backward": options.get("enable_backward", True),
        "max_unroll": options.get("max_unroll", getattr(wp.config, "max_unroll", 16)),
        "functions": list(functions.values()),
    }


def nondifferentiable_builtins() -> list[str]:
    """Names of the builtins that Warp says have no adjoint."""
    table = context.builtin_functions
    return sorted(
        name for name, function in table.items()
        if not all(getattr(f, "is_differentiable", True) for f in _overloads(function))
    )  # fmt: skip


def _overloads(function: Any) -> list[Any]:
    return list(getattr(function, "overloads", None) or [function])


def _source(adj: Any) -> dict[str, Any]:
    return {
        "name": getattr(adj, "fun_name", ""),
        "file": getattr(adj, "filename", None),
        "line": getattr(adj, "fun_lineno", None),
        "source": getattr(adj, "source", "") or "",
    }


def _constants(adj: Any, func: Any) -> dict[str, float]:
    """Numbers that the source names, ``N`` or ``sim.N``, as they are when the kernel is compiled."""
    scope = {**(getattr(func, "__globals__", None) or {}), **_cells(func)}
    found: dict[str, float] = {}
    for node in ast.walk(getattr(adj, "tree", None) or ast.Module(body=[], type_ignores=[])):
        if isinstance(node, ast.Name):
            value = scope.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            value = getattr(scope.get(node.value.id), node.attr, None)
        else:
            continue
        if isinstance(value, (int, float, np.integer, np.floating)):
            found[ast.unparse(node)] = float(value)
    return found


def _collect(adj: Any, func: Any, found: dict[str, dict[str, Any]], depth: int) -> None:
    tree = getattr(adj, "tree", None)
    if tree is None or depth > 6:
        return
    scope = {**(getattr(func, "__globals__", None) or {}), **_cells(func)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        callee = _resolve(node.func, scope)
        if callee is None or callee.key in found:
            continue
        grad, replay = getattr(callee, "custom_grad_func", None), getattr(callee, "custom_replay_func", None)
        found[callee.key] = {
            **_source(callee.adj),
            "constants": _constants(callee.adj, callee.func),
            "custom_grad": _source(grad.adj) if grad is not None else None,
            "custom_replay": _source(replay.adj) if replay is not None else None,
            "native": getattr(callee, "native_snippet", None) is not None,
            "native_adjoint": bool(getattr(callee, "adj_native_snippet", None)),
        }
        _collect(callee.adj, callee.func, found, depth + 1)


def _cells(func: Any) -> dict[str, Any]:
    code, cells = getattr(func, "__code__", None), getattr(func, "__closure__", None)
    values: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars if code else (), cells or (), strict=False):
        try:
            values[name] = cell.cell_contents
        except ValueError:
            continue
    return values


def _resolve(node: ast.AST, scope: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        value = scope.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        value = getattr(scope.get(node.value.id), node.attr, None)
    else:
        return None
    return value if isinstance(value, wp.Function) and getattr(value, "adj", None) is not None else None
