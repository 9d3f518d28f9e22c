"""Constructs in a kernel's source that Warp differentiates wrongly (WARP_FACTS, "Right or wrong, by version")."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from typing import Any

DISCRETE_ATOMICS = {"atomic_exch", "atomic_cas"}
SINGULAR = {"sqrt", "length", "normalize", "pow", "acos", "asin", "log", "log2", "log10", "div"}
SELECTIONS = {"where", "select"}
MUTABLE = {"vec2", "vec3", "vec4", "quat", "mat22", "mat33", "mat44", "vector", "matrix", "spatial_vector"}


@dataclass(frozen=True)
class Construct:
    """A suspicious construct, with the kind it stands for."""

    kind: str
    file: str | None
    line: int | None
    why: str
    remedy: str = ""


def constructs(kernel: dict[str, Any], nondifferentiable: list[str], is_nonfinite: bool) -> list[Construct]:
    """What the kernel and the functions it calls contain, most telling first."""
    found: list[Construct] = []
    if kernel["enable_backward"] is False:
        found.append(
            Construct(
                "missing-adjoint", kernel["file"], definition_line(kernel),
                "it is compiled with enable_backward=False", "Drop enable_backward=False.",
            )
        )  # fmt: skip
    for function in kernel["functions"]:
        found += _function(function)
    for unit in (kernel, *kernel["functions"]):
        tree = _tree(unit["source"])
        if tree is not None:
            scan = _Scan(unit, set(nondifferentiable), int(kernel["max_unroll"]), is_nonfinite)
            scan.visit(tree)
            found += scan.found
    order = _NONFINITE_ORDER if is_nonfinite else _ORDER
    ranked = [c for c in found if c.kind in order]
    return sorted(ranked, key=lambda c: order.index(c.kind))


_ORDER = [
    "custom-adjoint", "missing-adjoint", "replay-side-effect", "local-array", "dynamic-loop", "component-reassignment",
    "in-place-arithmetic",
]  # fmt: skip
_NONFINITE_ORDER = ["custom-adjoint", "unselected-branch", "nonfinite-adjoint"]


def definition_line(unit: dict[str, Any]) -> int | None:
    """Line of the ``def`` of a kernel or function, past its decorators."""
    tree = _tree(unit["source"])
    if tree is None or unit["line"] is None:
        return None
    found = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)), None)
    return int(unit["line"]) + (found.lineno - 1 if found is not None else 0)


def _tree(source: str) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return None


def _function(function: dict[str, Any]) -> list[Construct]:
    custom = function["custom_grad"] or function["custom_replay"]
    if custom:
        return [
            Construct(
                "custom-adjoint", custom["file"], definition_line(custom),
                f"`{function['name']}` has an adjoint written by hand that differs from its derivative",
                f"Correct the custom gradient of `{function['name']}`; add to wp.adjoint[...] for every argument.",
            )
        ]  # fmt: skip
    if function["native"] and not function["native_adjoint"]:
        return [
            Construct(
                "missing-adjoint", function["file"], definition_line(function),
                f"`{function['name']}` is a native snippet without an adjoint snippet",
                f"Give `{function['name']}` an adj_snippet.",
            )
        ]  # fmt: skip
    return []


class _Scan(ast.NodeVisitor):
    """One function body."""

    def __init__(self, unit: dict[str, Any], nondifferentiable: set[str], max_unroll: int, is_nonfinite: bool) -> None:
        self.unit = unit
        self.nondifferentiable = nondifferentiable
        self.max_unroll = max_unroll
        self.is_nonfinite = is_nonfinite
        self.found: list[Construct] = []
        self.arguments: set[str] = set()
        self.locals: dict[str, ast.AST] = {}
        self.local_arrays: set[str] = set()

    def _add(self, kind: str, node: ast.AST, why: str, remedy: str) -> None:
        line = int(self.unit["line"]) + int(getattr(node, "lineno", 1)) - 1
        self.found.append(Construct(kind, self.unit["file"], line, why, remedy))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.arguments = {a.arg for a in node.args.args}
        for statement in node.body:
            self.visit(statement)

    # --- loops --------------------------------------------------------------------------------------------------
    def visit_While(self, node: ast.While) -> None:
        self._loop(node, "a while loop keeps one value of every variable, not one per pass")
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        count = _constant_count(node.iter)
        if count is None:
            self._loop(node, "a loop whose length is not a constant is not unrolled, and backward sees one value of it")
        elif count > self.max_unroll:
            self._loop(node, f"a loop of {count} is longer than max_unroll ({self.max_unroll}) and is not unrolled")
        self.generic_visit(node)

    def _loop(self, node: ast.For | ast.While, why: str) -> None:
        carried = _carried_names(node)
        if carried and not all(_is_plain_sum(node, name) for name in carried):
            self._add("dynamic-loop", node, why, "Store each pass in an array, or unroll the loop (max_unroll).")
        elif carried:
            self.found.append(
                Construct("dynamic-loop", self.unit["file"], int(self.unit["line"]) + node.lineno - 1, why,
                          "Store each pass in an array, or unroll the loop (max_unroll).")
            )  # fmt: skip

    # --- assignments --------------------------------------------------------------------------------------------
    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assignment(target, node)
        self.generic_visit(node)

    def _assignment(self, target: ast.expr, node: ast.Assign) -> None:
        if isinstance(target, ast.Name):
            self.locals[target.id] = node.value
            if isinstance(node.value, ast.Call) and _called(node.value) in ("zeros", "empty", "ones", "full"):
                self.local_arrays.add(target.id)
                self._add(
                    "local-array", node, "stores to an array local to the kernel are not replayed in backward",
                    "Use an array passed to the kernel, or separate variables.",
                )  # fmt: skip
            return
        root = _root(target)
        if root is None or not isinstance(target, (ast.Subscript, ast.Attribute)):
            return
        if root in self.locals and root not in self.arguments and root not in self.local_arrays:
            self._add(
                "component-reassignment", node, f"a component of `{root}` is assigned a second time",
                f"Build a new value instead of assigning to a component of `{root}`.",
            )  # fmt: skip
        elif root in self.arguments and _reads(node.value, root):
            self._add(
                "in-place-arithmetic", node, f"an element of `{root}` is read and then overwritten in one kernel",
                "Write the result to a second array.",
            )  # fmt: skip

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        root = _root(node.target)
        if isinstance(node.op, (ast.Mult, ast.Div)) and root in self.arguments:
            symbol = "*=" if isinstance(node.op, ast.Mult) else "/="
            self._add(
                "in-place-arithmetic", node, f"`{symbol}` on an array element has no right adjoint",
                "Write the product to a second array.",
            )  # fmt: skip
        self.generic_visit(node)

    # --- expressions ----------------------------------------------------------------------------------------------
    def visit_Expr(self, node: ast.Expr) -> None:
        """A statement that drops the result of an atomic operation is harmless."""
        if isinstance(node.value, ast.Call) and _called(node.value).startswith("atomic_"):
            for argument in node.value.args:
                self.visit(argument)
            return
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _called(node)
        if name.startswith("atomic_") and name not in DISCRETE_ATOMICS:
            self._add(
                "replay-side-effect", node, f"the value `wp.{name}` returns is not the same again in backward",
                "Keep the value with a @wp.func_replay, or compute it in a launch of its own.",
            )  # fmt: skip
        elif name in SELECTIONS:
            self._add(
                "unselected-branch", node, f"`wp.{name}` evaluates both operands, and the unselected one is not finite",
                "Guard the operand itself, or use an if statement.",
            )  # fmt: skip
        elif name in SINGULAR:
            self._add(
                "nonfinite-adjoint", node, f"the derivative of `wp.{name}` is not finite at a value that occurs here",
                "Keep the argument away from the singular point, for example by adding a small constant.",
            )  # fmt: skip
        elif name == "grad" or name in DISCRETE_ATOMICS or (name in self.nondifferentiable and _takes_values(node)):
            self._add(
                "missing-adjoint", node, f"`wp.{name}` has no adjoint: its result counts as a constant in backward",
                f"Express `wp.{name}` with operations that have an adjoint.",
            )  # fmt: skip
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._add(
            "unselected-branch", node, "both sides of the conditional expression are evaluated",
            "Guard the operand itself, or use an if statement.",
        )  # fmt: skip
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, (ast.Div, ast.Pow)) and not isinstance(node.right, ast.Constant):
            self._add(
                "nonfinite-adjoint", node, "a division by a value that reaches zero",
                "Keep the divisor away from zero.",
            )  # fmt: skip
        self.generic_visit(node)


def _called(node: ast.Call) -> str:
    """Name of a called function, without ``wp.``; the inner one of ``wp.grad(f)(x)``."""
    function = node.func
    if isinstance(function, ast.Call):
        return _called(function)
    if isinstance(function, ast.Attribute):
        return function.attr
    return getattr(function, "id", "")


_STRUCTURAL = {"tid", "int", "int32", "uint32", "rand_init", "printf", "print", "static", "len", "range"}


def _takes_values(node: ast.Call) -> bool:
    return _called(node) not in _STRUCTURAL


def _root(node: ast.AST) -> str | None:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _constant_count(node: ast.AST) -> int | None:
    if isinstance(node, ast.Call) and _called(node) == "range":
        values = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, int)]
        if len(values) == len(node.args):
            return len(range(*values))
    return None


def _carried_names(loop: ast.For | ast.While) -> set[str]:
    """Variables a pass both reads and assigns."""
    assigned = {
        n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    read = {n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    augmented = {
        s.target.id for b in loop.body for s in ast.walk(b)
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name)
    }  # fmt: skip
    return (assigned & read) | augmented


def _is_plain_sum(loop: ast.For | ast.While, name: str) -> bool:
    """The variable only ever grows by ``+=`` of terms without it."""
    for body in loop.body:
        for node in ast.walk(body):
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                return False
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                if not isinstance(node.op, (ast.Add, ast.Sub)) or _reads(node.value, name):
                    return False
    return True
