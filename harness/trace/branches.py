"""Branches of host code that one execution takes and another does not, from the lines that each ran."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Lines = Mapping[str, Sequence[int]]
"""Lines that ran, by file."""


@dataclass(frozen=True)
class Branch:
    """One way that a statement can go: into its body, or past it."""

    file: str
    line: int
    """Of the statement that decides."""
    header: str
    """Its text: ``if step > 40``, ``for p in contacts``, ``else of `if n < 8` ``."""


@dataclass(frozen=True)
class _Arm:
    """``first`` runs if the arm is taken, ``decided`` before that in any case."""

    line: int
    first: int
    decided: int
    is_else: bool = False


def only_in(one: Lines, other: Lines) -> list[Branch]:
    """Branches that ``one`` takes and ``other`` does not although it comes to the statement that decides."""
    found = []
    for file in sorted(one):
        ran, other_ran = set(one[file]), set(other.get(file, ()))
        for arm in _arms(file):
            came = arm.decided in ran and arm.decided in other_ran
            if came and arm.first in ran and arm.first not in other_ran:
                found.append(Branch(file, arm.line, _header(file, arm)))
    return found


def _arms(file: str) -> Iterator[_Arm]:
    """Ways to go, outermost first. One whose body stands on the line of its condition cannot be told apart."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            yield from _arms_of(node.lineno, node.test.lineno, node.body, node.orelse)
        elif isinstance(node, ast.While):
            yield from _arms_of(node.lineno, node.test.lineno, node.body, [])
        elif isinstance(node, ast.For):
            yield from _arms_of(node.lineno, node.iter.lineno, node.body, [])
        elif isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from _arms_of(handler.lineno, node.body[0].lineno, handler.body, [])
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield from _arms_of(case.pattern.lineno, node.subject.lineno, case.body, [])


def _arms_of(line: int, decided: int, body: list[ast.stmt], orelse: list[ast.stmt]) -> Iterator[_Arm]:
    if body[0].lineno > decided:
        yield _Arm(line, body[0].lineno, decided)
    if orelse and orelse[0].lineno > decided:
        yield _Arm(line, orelse[0].lineno, decided, is_else=True)


def _header(file: str, arm: _Arm) -> str:
    text = linecache.getline(file, arm.line).strip().rstrip(":").strip()
    return f"else of `{text}`" if arm.is_else else f"`{text}`"
