"""Replacing module-level constants in a syntax tree, without moving a line."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any, NamedTuple


class Constant(NamedTuple):
    """One module-level assignment of a name."""

    name: str
    line: int
    source: str  # text of the old value; of the whole right side where it cannot be split


class Replacement(NamedTuple):
    """The new value of a name: its node, and whether it is text only because it is no Python literal."""

    node: ast.expr
    is_bare_text: bool


def parse_value(text: str) -> Replacement:
    """A Python literal, `inf`/`nan`, or else the text itself as a string."""
    stripped = text.strip()
    if stripped.lstrip("+-") in ("inf", "nan"):
        return Replacement(ast.Constant(float(stripped)), False)
    try:
        ast.literal_eval(stripped)
        return Replacement(ast.parse(stripped, mode="eval").body, False)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return Replacement(ast.Constant(text), True)


def constants(tree: ast.Module, source: str) -> list[Constant]:
    """All names assigned at module level, in the order of the file."""
    found = []
    for _, statement in _statements(tree.body):
        for target in _targets(statement):
            for name, value in _pairs(target, _value(statement)):
                found.append(Constant(name, statement.lineno, _text(source, value)))
    return found


def replace(tree: ast.Module, source: str, name: str, new: Replacement) -> list[Constant]:
    """Give `name` its new value in every module-level assignment of `tree`; returns what was replaced."""
    replaced = []
    for block, statement in list(_statements(tree.body)):
        for target in _targets(statement):
            old = next((value for found, value in _pairs(target, _value(statement)) if found == name), None)
            if old is not None:
                replaced.append(Constant(name, statement.lineno, _text(source, old)))
                _replace_in(block, statement, target, name, new.node)
    return replaced


def _replace_in(block: list[ast.stmt], statement: Any, target: ast.expr, name: str, node: ast.expr) -> None:
    value, is_only_target = _value(statement), len(_targets(statement)) == 1
    if isinstance(target, ast.Name) and is_only_target:
        statement.value = _placed(node, value)
        return
    if isinstance(target, (ast.Tuple, ast.List)) and is_only_target and _is_split(target, value):
        for at, element in enumerate(target.elts):
            if isinstance(element, ast.Name) and element.id == name:
                value.elts[at] = _placed(node, value.elts[at])  # type: ignore[attr-defined]
        return
    # `a = b = 3` or `a, b = shape()`: the other names keep their values, so assign once more behind it.
    assignment = ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=_placed(node, value))
    for part in (assignment, assignment.targets[0]):
        ast.copy_location(part, statement)
    block.insert(block.index(statement) + 1, assignment)


def _placed(node: ast.expr, where: ast.AST) -> ast.expr:
    fresh = copy.deepcopy(node)
    for part in ast.walk(fresh):
        ast.copy_location(part, where)
    return fresh


def _statements(block: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], ast.stmt]]:
    """Assignments that run once when the module is loaded, each with the block it stands in."""
    for statement in block:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            yield block, statement
        elif isinstance(statement, (ast.If, ast.Try, ast.With)) or type(statement).__name__ == "TryStar":
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, part, []))
            for handler in getattr(statement, "handlers", []):
                yield from _statements(handler.body)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) and statement.value is not None else []


def _value(statement: Any) -> ast.expr:
    value: ast.expr = statement.value
    return value


def _is_split(target: ast.Tuple | ast.List, value: ast.expr) -> bool:
    """Whether each name of an unpacking has its own expression on the right."""
    return (
        isinstance(value, (ast.Tuple, ast.List))
        and len(value.elts) == len(target.elts)
        and not any(isinstance(element, ast.Starred) for element in (*target.elts, *value.elts))
    )


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Names assigned by one target, each with the expression it comes from."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        split = _is_split(target, value)
        for at, element in enumerate(target.elts):
            if isinstance(element, ast.Name):
                yield element.id, value.elts[at] if split else value  # type: ignore[attr-defined]


def _text(source: str, node: ast.expr) -> str:
    return ast.get_source_segment(source, node) or ast.unparse(node)
