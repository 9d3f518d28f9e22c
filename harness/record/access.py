"""Which kernel arguments a kernel may read and which it may write, from the kernel's syntax tree.

Warp computes the same flags only while ``verify_autograd_array_access`` is on, and never for struct members
(WARP_FACTS); switching it on would change what is compiled. The analysis here is conservative: what it cannot follow
counts as read and written.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

_ATOMIC_PREFIXES = ("atomic_", "tile_atomic_")
_STORES = {"store", "tile_store", "tile_store_indexed"}
_READ_ONLY_ATTRIBUTES = {"shape", "ndim", "size", "dtype", "strides"}


@dataclass
class Access:
    """How one array argument is used; ``accumulates`` means only through ``+=``, ``-=`` or atomic additions."""

    reads: bool = False
    writes: bool = False
    accumulates: bool = False
    first_write_line: int | None = None

    def merge(self, other: Access) -> None:
        """Join the uses seen on two paths."""
        self.reads |= other.reads
        self.writes |= other.writes
        self.accumulates |= other.accumulates
        if self.first_write_line is None:
            self.first_write_line = other.first_write_line


UNKNOWN = Access(reads=True, writes=True)

_cache: dict[int, dict[str, Access]] = {}
_keep_alive: list[Any] = []


def kernel_access(kernel: Any) -> dict[str, Access]:
    """Access per argument path (``"field"`` or ``"state.q"`` for a struct member) of a ``wp.Kernel``."""
    key = id(kernel)
    if key not in _cache:
        _keep_alive.append(kernel)
        _cache[key] = _adjoint_access(kernel.adj, getattr(kernel, "func", None), depth=0)
    return _cache[key]


def access_of(table: dict[str, Access], path: str) -> Access:
    """The access of one path; a struct passed on as a whole gives its members the same."""
    found = table.get(path)
    whole = table.get(path.split(".", 1)[0]) if "." in path else None
    if found is None:
        return whole if whole is not None else (Access() if table.get("*") is None else UNKNOWN)
    if whole is None:
        return found
    both = Access()
    both.merge(found)
    both.merge(whole)
    return both


def _adjoint_access(adj: Any, func: Any, depth: int) -> dict[str, Access]:
    try:
        tree = adj.tree
        definition = next(n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
        names = [a.arg for a in definition.args.args]
    except (AttributeError, StopIteration, TypeError):
        return {"*": UNKNOWN}
    if getattr(adj, "custom_reverse_mode", False) or getattr(func, "native_snippet", None) is not None:
        return {"*": UNKNOWN}
    scan = _Scan(set(names), getattr(func, "__globals__", {}) or {}, _closure(func), depth, adj.fun_lineno)
    for statement in definition.body:
        scan.visit(statement)
    return scan.found


def _closure(func: Any) -> dict[str, Any]:
    code, cells = getattr(func, "__code__", None), getattr(func, "__closure__", None)
    if code is None or not cells:
        return {}
    values: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars, cells, strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:
            continue
    return values


class _Scan(ast.NodeVisitor):
    """One pass over a kernel body, collecting the access of every argument path."""

    def __init__(
        self, arguments: set[str], globals_: dict[str, Any], closure: dict[str, Any], depth: int, first_line: int
    ) -> None:
        self.arguments = arguments
        self.scope = {**globals_, **closure}
        self.depth = depth
        self.first_line = first_line
        self.aliases: dict[str, str] = {}
        self.found: dict[str, Access] = {}

    def _note(self, path: str, access: Access) -> None:
        self.found.setdefault(path, Access()).merge(access)

    def _line(self, node: ast.AST) -> int:
        return self.first_line + int(getattr(node, "lineno", 1)) - 1

    def _path(self, node: ast.AST) -> str | None:
        """Argument path that an expression denotes: ``a``, ``a[i]``, ``s.q``, ``s.q[i].x`` (the array part)."""
        if isinstance(node, ast.Subscript):
            return self._path(node.value)
        if isinstance(node, ast.Name):
            name = self.aliases.get(node.id, node.id)
            return name if name.split(".")[0] in self.arguments else None
        if isinstance(node, ast.Attribute):
            if node.attr in _READ_ONLY_ATTRIBUTES:
                return None
            base = self._path(node.value)
            if base is None or isinstance(node.value, ast.Subscript):
                return base
            return f"{base}.{node.attr}"
        return None

    # --- stores -----------------------------------------------------------------------------------------------
    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._store(target, node)
            if isinstance(target, ast.Name):
                source = self._path(node.value)
                if source is not None:
                    self.aliases[target.id] = source
                else:
                    self.aliases.pop(target.id, None)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
        self._store(node.target, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            return
        path = self._path(node.target)
        if path is not None:
            is_sum = isinstance(node.op, (ast.Add, ast.Sub))
            self._note(
                path, Access(reads=not is_sum, writes=True, accumulates=is_sum, first_write_line=self._line(node))
            )
        self._visit_indices(node.target)

    def _store(self, target: ast.AST, statement: ast.AST) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._store(element, statement)
            return
        if isinstance(target, ast.Name):
            return
        path = self._path(target)
        if path is not None:
            self._note(path, Access(writes=True, first_write_line=self._line(statement)))
        self._visit_indices(target)

    def _visit_indices(self, target: ast.AST) -> None:
        if isinstance(target, ast.Subscript):
            self.visit(target.slice)
            self._visit_indices(target.value)
        elif isinstance(target, ast.Attribute):
            self._visit_indices(target.value)

    # --- loads and calls --------------------------------------------------------------------------------------
    def visit_Subscript(self, node: ast.Subscript) -> None:
        path = self._path(node)
        if path is not None:
            self._note(path, Access(reads=True))
        self.visit(node.slice)
        if path is None:
            self.visit(node.value)
        else:
            self._visit_indices(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        path = self._path(node)
        if path is not None:
            self._note(path, Access(reads=True))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path is not None:
            self._note(path, Access(reads=True))
        elif node.attr not in _READ_ONLY_ATTRIBUTES:
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A call whose result is dropped: an atomic sum then only accumulates."""
        if isinstance(node.value, ast.Call):
            self._call(node.value, is_result_used=False)
        else:
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        self._call(node, is_result_used=True)

    def _call(self, node: ast.Call, is_result_used: bool) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        arguments = [*node.args, *(k.value for k in node.keywords)]
        if name.startswith(_ATOMIC_PREFIXES) and node.args:
            path = self._path(node.args[0])
            if path is not None:
                is_sum = name.endswith(("_add", "_sub")) and not is_result_used
                line = self._line(node)
                self._note(path, Access(reads=not is_sum, writes=True, accumulates=is_sum, first_write_line=line))
            arguments = arguments[1:]
        elif name in _STORES and node.args:
            path = self._path(node.args[0])
            if path is not None:
                self._note(path, Access(writes=True, first_write_line=self._line(node)))
            arguments = arguments[1:]
        else:
            callee = self._callee(node.func)
            if callee is not None and self._follow(node, callee):
                return
        for argument in arguments:
            self.visit(argument)

    def _callee(self, node: ast.AST) -> Any:
        """The Python object a call names, when it is one of the user's own functions."""
        if isinstance(node, ast.Name):
            value = self.scope.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            value = getattr(self.scope.get(node.value.id), node.attr, None)
        else:
            return None
        is_user_function = getattr(value, "adj", None) is not None and not getattr(value, "is_builtin", lambda: False)()
        return value if is_user_function else None

    def _follow(self, node: ast.Call, callee: Any) -> bool:
        """Carry the callee's access over to the arrays passed to it."""
        if self.depth > 8:
            return False
        inner = _adjoint_access(callee.adj, callee.func, self.depth + 1)
        labels = [a.label for a in callee.adj.args]
        pairs = [*zip(labels, node.args, strict=False), *((k.arg, k.value) for k in node.keywords if k.arg)]
        for label, argument in pairs:
            path = self._path(argument)
            if path is None or isinstance(argument, ast.Subscript):
                self.visit(argument)
                continue
            if "*" in inner:
                self._note(path, UNKNOWN)
            for inner_path, access in inner.items():
                head, _, rest = inner_path.partition(".")
                if head == label:
                    self._note(f"{path}.{rest}" if rest else path, access)
        return True
