"""The source of a kernel and of the functions it calls, as the kinds of kernel faults look at it."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..attribute.laboratory import Treatment

CONSTRUCTORS = ("vec", "mat", "quat", "transform", "spatial_")
SELECTIONS = ("where", "select")
_FRESH_ARRAYS = ("zeros", "empty", "ones", "full")


@dataclass(frozen=True)
class Construct:
    """An expression or statement that Warp may differentiate wrongly, with the kind it stands for."""

    kind: str
    file: str | None
    line: int | None
    why: str
    """Goes on from "is not that of what the kernel computes: "."""
    remedy: str
    treatment: Treatment | None = None
    """Undoes this construct alone, where Warp has a way to."""
    action: str = ""
    """What the treatment does, for the report."""
    unit: str = ""
    """Kernel or function it stands in."""
    names: frozenset[str] = frozenset()
    """Variables it reads: what must depend on an input whose gradient is wrong."""


@dataclass(frozen=True)
class Unit:
    """One kernel, or one function that it calls."""

    name: str
    file: str | None
    line: int
    """First line of the source, decorators included."""
    definition: ast.FunctionDef
    is_kernel: bool
    info: dict[str, Any] = field(hash=False)
    """What the recording says about it."""

    @property
    def arguments(self) -> set[str]:
        """Names of its arguments."""
        return {a.arg for a in self.definition.args.args}

    @property
    def constants(self) -> dict[str, float]:
        """Numbers behind names that are not local, where they were known when the kernel was recorded."""
        return dict(self.info.get("constants", {}))

    def line_of(self, node: ast.AST) -> int:
        """Line in the file."""
        return self.line + int(getattr(node, "lineno", 1)) - 1

    def construct(self, kind: str, node: ast.AST, why: str, remedy: str, **more: Any) -> Construct:
        """A construct at a node of this unit."""
        return Construct(
            kind, self.file, self.line_of(node), why, remedy, unit=self.name, names=names_read(node), **more
        )

    def nodes(self) -> Iterator[ast.AST]:
        """Every node of the body, in the order of the source."""
        for statement in self.definition.body:
            yield from in_order(statement)


@dataclass(frozen=True)
class Context:
    """What else decides whether a construct is differentiated rightly."""

    nondifferentiable: frozenset[str]
    """Builtins that this version of Warp says have no adjoint."""
    max_unroll: int
    warp: tuple[int, ...]


def version_of(environment: dict[str, Any]) -> tuple[int, ...]:
    """Major and minor version of the Warp that ran the program."""
    return tuple(int(part) for part in str(environment["warp"]).split(".")[:2])


def units_of(kernel: dict[str, Any]) -> list[Unit]:
    """The kernel and the functions it calls; what has no source is left out."""
    found = []
    for info in (kernel, *kernel["functions"]):
        definition = _definition(info["source"])
        if definition is not None and info["line"] is not None:
            found.append(Unit(info["name"], info["file"], int(info["line"]), definition, info is kernel, info))
    return found


def definition_line(info: dict[str, Any]) -> int | None:
    """Line of the ``def`` of a kernel or function, past its decorators."""
    definition = _definition(info["source"])
    return None if definition is None or info["line"] is None else int(info["line"]) + definition.lineno - 1


def _definition(source: str) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return None
    return next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)), None)


# --- expressions ------------------------------------------------------------------------------------------------------
def in_order(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, parents first, in the order of the source."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from in_order(child)


def called(node: ast.AST) -> str:
    """Name of a called function, without ``wp.``; the inner one of ``wp.grad(f)(x)``; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    if isinstance(function, ast.Call):
        return called(function)
    return function.attr if isinstance(function, ast.Attribute) else str(getattr(function, "id", ""))


def operands(call: ast.Call) -> list[ast.expr]:
    """Arguments of a call, named ones included."""
    return [*call.args, *(k.value for k in call.keywords)]


def root(node: ast.AST) -> str | None:
    """The variable behind ``a``, ``a[i]``, ``s.q[i].x``."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def names_read(node: ast.AST) -> frozenset[str]:
    """Variables whose value an expression or statement uses; modules such as ``wp`` are not among them."""
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return frozenset(used - _modules(node))


def _modules(node: ast.AST) -> set[str]:
    functions = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
    return {str(root(f)) for f in functions if root(f) is not None}


def reads(node: ast.AST, name: str) -> bool:
    """Whether an expression uses a variable."""
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def targets_of(statement: ast.AST) -> list[ast.expr]:
    """What a statement assigns to."""
    if isinstance(statement, ast.Assign):
        return [e for t in statement.targets for e in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        return [statement.target]
    return []


def number(node: ast.AST, unit: Unit) -> float | None:
    """Value of a constant: a literal, ``-1``, a named constant, ``float(0.0)``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand, unit)
        return None if inner is None else -inner
    if isinstance(node, ast.Call) and called(node) in ("float", "int", "float32", "float64", "int32") and node.args:
        return number(node.args[0], unit)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return unit.constants.get(ast.unparse(node))
    return None


def is_integral(node: ast.AST, unit: Unit, depth: int = 0) -> bool:
    """Whether an expression is known to be a whole number: a thread index, a shape, an ``int`` argument."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.Name):
        annotated = {a.arg: ast.unparse(a.annotation) for a in unit.definition.args.args if a.annotation}
        if node.id in annotated:
            return "int" in annotated[node.id] and "array" not in annotated[node.id]
        values = definitions(unit).get(node.id, [])
        return bool(values) and depth < 8 and all(is_integral(v, unit, depth + 1) for v in values)
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.operand]
        return not isinstance(getattr(node, "op", None), ast.Div) and all(is_integral(p, unit, depth) for p in parts)
    if isinstance(node, ast.Subscript):
        annotation = next((a.annotation for a in unit.definition.args.args if a.arg == root(node)), None)
        is_of_ints = annotation is not None and "int" in ast.unparse(annotation)
        return is_of_ints or (isinstance(node.value, ast.Attribute) and node.value.attr == "shape")
    return called(node) in ("tid", "int", "int32", "int64", "uint32", "len")


def definitions(unit: Unit) -> dict[str, list[ast.expr]]:
    """Expressions assigned to each local variable."""
    found: dict[str, list[ast.expr]] = {}
    for node in unit.nodes():
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            for target in targets_of(node):
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def local_arrays(unit: Unit) -> dict[str, ast.stmt]:
    """Arrays that the unit allocates itself, with the statement that does."""
    return {
        target.id: node
        for node in unit.nodes() if isinstance(node, ast.Assign) and called(node.value) in _FRESH_ARRAYS
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip


def depending_on(unit: Unit, names: frozenset[str]) -> frozenset[str]:
    """Variables whose values depend on any of ``names``, those included."""
    found = set(names)
    is_growing = True
    while is_growing:
        size = len(found)
        for node in unit.nodes():
            value = getattr(node, "value", None)
            for target in targets_of(node):
                if value is not None and names_read(value) & found:
                    found.add(str(root(target)))
        is_growing = len(found) > size
    return frozenset(found)
