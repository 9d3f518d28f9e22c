"""nonfinite-adjoint

## What it is
A gradient is `nan` or infinite although the objective is a plain number: an expression was differentiated at a point
where its derivative is infinite.

## Why it happens
`wp.sqrt(0)`, a quotient by zero that is clipped afterwards, `wp.log(0)` under a `wp.max`, `wp.pow(0, p)`. The infinite
slope times an adjoint of zero is `nan`, and one such element spoils every sum it enters. `wp.length` and `wp.normalize`
of a zero vector, `wp.acos` and `wp.asin` at the ends of their range are guarded: their gradient there is zero.

## What is measured
Backward is run again with every adjoint watched; each one that makes a value that is not finite, though it was given
none, names a kernel. One may only show once another, nearer to the loss, is undone. Differences show what the gradient
should have been.

## What proves it
The adjoint of that kernel is replaced by differences of its launches. With that the gradient is finite and agrees with
the measured derivative, once other causes are undone too; the iterations that began with `nan` are then judged as
well. The expression is found in the source of the kernel.

## Known limits
Of several expressions that could be singular, those with a safeguard in view (`wp.sqrt(d + 1e-6)`, `wp.max(d, 0.1)`)
come last; the values themselves are not looked at.

## Bad
```python
import warp as wp


@wp.kernel
def spread(x: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    d = x[i] - x[j]
    r = wp.sqrt(d[0] * d[0] + d[1] * d[1])
    wp.atomic_add(loss, 0, (r - 1.0) * (r - 1.0))


x = wp.array([[0.0, 0.1], [1.1, 0.0], [0.6, 0.7]], dtype=wp.vec2, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(spread, dim=(3, 3), inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def spread(x: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    if i == j:
        return
    d = x[i] - x[j]
    r = wp.sqrt(d[0] * d[0] + d[1] * d[1])
    wp.atomic_add(loss, 0, (r - 1.0) * (r - 1.0))


x = wp.array([[0.0, 0.1], [1.1, 0.0], [0.6, 0.7]], dtype=wp.vec2, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(spread, dim=(3, 3), inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    tape.zero()
```

## References
Warp's `wp.config.verify_fp` reports values that are not finite in the forward pass; these arise in backward only.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from .kernel_source import SELECTIONS, Construct, Context, Unit, called, definitions, in_order, names_read, number

NAME = "nonfinite-adjoint"

# The most frequent first; ``/`` stands for a quotient. Warp guards the adjoints of length, normalize, acos and asin.
SINGULAR = ("sqrt", "pow", "log", "log2", "log10", "cbrt", "atan2", "/")
_SAFEGUARDS = ("max", "clamp")


def find(unit: Unit, context: Context) -> list[Construct]:
    """Expressions that may be singular and do not stand in an operand that a condition on them guards."""
    guarded = {node for _, node in guarded_operands(unit, is_singular)}
    found = [n for n in unit.nodes() if is_singular(n, unit) and n not in guarded]
    ranked = sorted(found, key=lambda n: (is_safeguarded(n, unit), _rank(n)))
    return [_construct(unit, n) for n in ranked]


def _construct(unit: Unit, node: ast.AST) -> Construct:
    if isinstance(node, ast.BinOp):
        symbol = ast.unparse(node.right)
        why = f"the derivative of a division by `{symbol}` is not finite where `{symbol}` is zero"
        return unit.construct(NAME, node, why, f"Keep `{symbol}` away from zero before dividing.")
    name = called(node)
    return unit.construct(
        NAME,
        node,
        f"the derivative of `wp.{name}` is not finite at a value that occurs here",
        f"Keep the argument of `wp.{name}` away from the singular point, or leave out that case with an if statement.",
    )


def is_singular(node: ast.AST, unit: Unit) -> bool:
    """Whether the derivative of an expression is infinite somewhere."""
    if isinstance(node, ast.BinOp):
        is_power = isinstance(node.op, ast.Pow)
        return (isinstance(node.op, ast.Div) or is_power) and number(node.right, unit) is None
    return called(node) in SINGULAR and isinstance(node, ast.Call) and bool(names_read(node))


def _rank(node: ast.AST) -> int:
    return SINGULAR.index(called(node) or "/")


def is_safeguarded(node: ast.AST, unit: Unit) -> bool:
    """Whether a positive constant is added to what must not be zero, or it is kept above one."""
    if isinstance(node, ast.BinOp):
        critical: ast.expr | None = node.right
    else:
        assert isinstance(node, ast.Call)
        critical = node.args[0] if node.args else None
    if isinstance(critical, ast.Name):
        values = definitions(unit).get(critical.id, [])
        critical = values[0] if len(values) == 1 else critical
    if isinstance(critical, ast.Call) and called(critical) in _SAFEGUARDS:
        return any((number(a, unit) or 0.0) > 0.0 for a in critical.args)
    return isinstance(critical, ast.BinOp) and _adds_constant(critical, unit)


def _adds_constant(node: ast.BinOp, unit: Unit) -> bool:
    if not isinstance(node.op, ast.Add):
        return False
    terms = (node.left, node.right)
    return any((number(t, unit) or 0.0) > 0.0 or (isinstance(t, ast.BinOp) and _adds_constant(t, unit)) for t in terms)


# --- operands of a selection ------------------------------------------------------------------------------------------
def guarded_operands(unit: Unit, is_dangerous: Callable[[ast.AST, Unit], bool]) -> list[tuple[ast.AST, ast.AST]]:
    """(selection, expression) for dangerous expressions in operands whose condition speaks of their values.

    An operand that is a variable stands for what it was assigned, unless the variable is used elsewhere too.
    """
    defined = definitions(unit)
    found = []
    for selection in unit.nodes():
        parts = selection_parts(selection)
        if parts is None:
            continue
        condition, choices = parts
        tested = _sources(condition, defined)
        expanded = [_expanded(operand, selection, unit, defined) for operand in choices]
        # What enters both operands is selected either way.
        always = set(expanded[0]) & set(expanded[1])
        for expression in (e for operand in expanded for e in operand if e not in always):
            if is_dangerous(expression, unit) and _sources(expression, defined) & tested:
                found.append((selection, expression))
    return found


def selection_parts(node: ast.AST) -> tuple[ast.expr, list[ast.expr]] | None:
    """Condition and operands of ``wp.where``, ``wp.select`` or ``a if c else b``."""
    if isinstance(node, ast.IfExp):
        return node.test, [node.body, node.orelse]
    if called(node) in SELECTIONS and isinstance(node, ast.Call) and len(node.args) == 3:
        return node.args[0], list(node.args[1:])
    return None


def _sources(node: ast.AST, defined: dict[str, list[ast.expr]], depth: int = 0) -> set[str]:
    """Variables an expression depends on, through local variables down to arguments."""
    found = set(names_read(node))
    if depth < 8:
        for name in tuple(found):
            for value in defined.get(name, ()):
                found |= _sources(value, defined, depth + 1)
    return found


def _expanded(operand: ast.expr, selection: ast.AST, unit: Unit, defined: dict[str, list[ast.expr]]) -> list[ast.AST]:
    found = list(in_order(operand))
    for name in names_read(operand):
        used = sum(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in unit.nodes())
        inside = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(selection))
        if used == inside and len(defined.get(name, ())) == 1:
            found += in_order(defined[name][0])
    return found
