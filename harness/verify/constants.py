"""Numbers in the source that differ between two programs, and whether anything else does.

Statements are compared with every number in them left blank; where a pair is the same then, its numbers are compared
one by one. A number keeps the name that the user gave it: the variable, the keyword, the call. No verdict looks at it.
"""

from __future__ import annotations

import ast
import copy
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..schema import ConstantChange, VerifyCheck
from .sources import FileChanges

CONSTANTS = "not a change of constants"
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class ConstantChanges:
    """What differs."""

    changes: tuple[ConstantChange, ...] = ()
    is_all: bool = False
    """Nothing but numbers differs between the programs."""


@dataclass(frozen=True)
class _Hole:
    """A number, or an expression of numbers alone, and where it stands."""

    name: str
    text: str
    line: int


def compare_constants(files: FileChanges) -> ConstantChanges:
    """Constants that changed in the files that differ."""
    found: list[ConstantChange] = []
    only = not files.added and not files.deleted
    for name, old_path, new_path in files.edited:
        old, new = _statements(old_path), _statements(new_path)
        if old is None or new is None:
            only = False
            continue
        matcher = difflib.SequenceMatcher(None, [s for s, _ in old], [s for s, _ in new], autojunk=False)
        for tag, low, high, start, _ in matcher.get_opcodes():
            if tag != "equal":
                only = False
                continue
            for offset in range(high - low):
                for was, now in zip(old[low + offset][1], new[start + offset][1], strict=True):
                    if was.text != now.text:
                        change = ConstantChange(
                            name=now.name, file=name, line=now.line, before=was.text, after=now.text
                        )
                        found.append(change)
    return ConstantChanges(tuple(found), only and bool(found))


def constants_check(constants: ConstantChanges, is_wrong_after: bool) -> VerifyCheck:
    """A fix by tuning is called that."""
    listed = _listed(constants.changes)
    if not constants.changes:
        return VerifyCheck(name=CONSTANTS, outcome="passed", message="No number in the source was changed.")
    if constants.is_all and is_wrong_after:
        message = (
            f"Only numbers were changed ({listed}): that tunes the program, and its gradient is as wrong as before."
        )
        return VerifyCheck(name=CONSTANTS, outcome="failed", message=message)
    if constants.is_all:
        message = f"Only numbers were changed ({listed}), and the gradient is not wrong after it."
    else:
        message = f"Besides the code, numbers were changed: {listed}. They are no part of a fix of the gradient."
    return VerifyCheck(name=CONSTANTS, outcome="passed", message=message)


def _listed(changes: tuple[ConstantChange, ...], most: int = 4) -> str:
    shown = [f"`{c.name}` {c.before} -> {c.after} ({c.file}:{c.line})" for c in changes[:most]]
    return ", ".join(shown) + (f" and {len(changes) - most} more" if len(changes) > most else "")


def _statements(path: Path) -> list[tuple[str, list[_Hole]]] | None:
    """Each statement (of a compound one, its head) with numbers left blank, and the numbers."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return None
    return [_blanked(statement, depth) for statement, depth in _walk(tree, 0)]


def _walk(node: ast.AST, depth: int) -> Iterator[tuple[ast.AST, int]]:
    for name in _BODIES:
        for child in getattr(node, name, []) if isinstance(getattr(node, name, None), list) else []:
            yield child, depth
            yield from _walk(child, depth + 1)


def _blanked(statement: ast.AST, depth: int) -> tuple[str, list[_Hole]]:
    head = copy.copy(statement)
    for name in _BODIES:
        if isinstance(getattr(head, name, None), list):
            setattr(head, name, [])
    holes: list[_Hole] = []
    blank = _Blank(holes, _target(statement)).visit(copy.deepcopy(head))
    return f"{depth} {ast.dump(blank)}", holes


def _target(statement: ast.AST) -> str:
    """Name of what a statement assigns."""
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0])
    if isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        return ast.unparse(statement.target)
    return ""


class _Blank(ast.NodeTransformer):
    """Takes numbers out of a statement and notes what they are called."""

    def __init__(self, holes: list[_Hole], name: str) -> None:
        self._holes = holes
        self._name = name

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and _is_numeric(node):
            self._holes.append(_Hole(self._name or "number", ast.unparse(node), node.lineno))
            return ast.copy_location(ast.Constant(value=0), node)
        if isinstance(node, ast.Call):
            return self._call(node)
        result: ast.AST = super().visit(node)
        return result

    def _call(self, node: ast.Call) -> ast.AST:
        outer, called = self._name, ast.unparse(node.func)
        node.func = self._expression(node.func)
        for position, argument in enumerate(node.args):
            # `SIZE = wp.constant(4)` and `RATE = float32(0.1)` are still called by their variable.
            self._name = outer if outer and len(node.args) == 1 else f"{called}(...)"
            node.args[position] = self._expression(argument)
        for keyword in node.keywords:
            self._name = f"{called}({keyword.arg}=...)"
            keyword.value = self._expression(keyword.value)
        self._name = outer
        return node

    def _expression(self, node: ast.expr) -> ast.expr:
        visited = self.visit(node)
        assert isinstance(visited, ast.expr)
        return visited


def _is_numeric(node: ast.AST) -> bool:
    """A number, or arithmetic of numbers alone. A truth value is none: `requires_grad=True` is a change of code."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float, complex)) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, (ast.USub, ast.UAdd)) and _is_numeric(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_numeric(node.left) and _is_numeric(node.right)
    return False
