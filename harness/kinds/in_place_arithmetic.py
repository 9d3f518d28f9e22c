"""in-place-arithmetic

## What it is
A kernel changes an array element by something else than addition, or writes, reads and writes it again. The adjoint
finds the final contents of the element where it needs those in between.

## Why it happens
The adjoint kernel runs the forward part again to have its values at hand, but skips stores to arrays: every read of an
element gives what the launch left there. `+=`, `-=` and `wp.atomic_add` need no contents and are right; `*=` and `/=`
are wrong, and so is `a[i] = f(a[i])` for an `f` that is not linear with constant factors.

## What is measured
Differences of the objective against the gradient through the kernel.

## What proves it
The adjoint of the kernel is replaced by differences of its launches; the statement is found in its source.

## Known limits
A kernel that reads an element and overwrites it once is reported as `array-overwrite` (mechanism `in-place-kernel`)
where putting back the older contents is enough.

## Bad
```python
import warp as wp


@wp.kernel
def damp(x: wp.array(dtype=float), y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]
    y[i] *= 1.0 + x[i]
    wp.atomic_add(loss, 0, y[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(damp, dim=3, inputs=[x], outputs=[y, loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def damp(x: wp.array(dtype=float), y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    grown = x[i] * x[i]
    y[i] = grown * (1.0 + x[i])
    wp.atomic_add(loss, 0, y[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(damp, dim=3, inputs=[x], outputs=[y, loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "In-place array operations" and "Array overwrites".
"""

from __future__ import annotations

import ast

from .kernel_source import Construct, Context, Unit, called, local_arrays, names_read, number, operands, reads, root

NAME = "in-place-arithmetic"

# Their adjoints need no values: conversions, vectors from components, atomic sums.
_LINEAR_CALLS = ("float", "vec", "mat", "quat", "atomic_add", "atomic_sub")

_SYMBOLS: dict[type[ast.operator], str] = {ast.Mult: "*=", ast.Div: "/=", ast.Mod: "%=", ast.Pow: "**="}


def find(unit: Unit, context: Context) -> list[Construct]:
    """Products in place first, then elements that are written, read and written again."""
    arrays = unit.arguments - set(local_arrays(unit))
    products, rewrites = [], []
    for node in unit.nodes():
        if isinstance(node, ast.AugAssign) and type(node.op) in _SYMBOLS and _element(node.target) in arrays:
            symbol = _SYMBOLS[type(node.op)]
            why = f"`{symbol}` on an array element has no right adjoint"
            products.append(unit.construct(NAME, node, why, "Compute the value in a local variable and store it once."))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            name = _element(node.targets[0])
            if name in arrays and name is not None and _rereads(node, name, unit):
                why = f"an element of `{name}` is read and then overwritten, and the adjoint reads the new value"
                rewrites.append(unit.construct(NAME, node, why, "Write the result to a second array."))
    return products + rewrites


def _element(target: ast.AST) -> str | None:
    return root(target) if isinstance(target, (ast.Subscript, ast.Attribute)) else None


def _rereads(node: ast.Assign, name: str, unit: Unit) -> bool:
    """Whether the very element that is stored enters its new value in a way that its adjoint needs."""
    element = ast.unparse(node.targets[0])
    is_same = any(isinstance(n, ast.Subscript) and ast.unparse(n) == element for n in ast.walk(node.value))
    return is_same and needs_value(node.value, name, unit)


def needs_value(expression: ast.AST, name: str, unit: Unit) -> bool:
    """Whether the adjoint of an expression needs the value of a variable in it.

    It does not for sums, and for products with constants.
    """
    if not reads(expression, name):
        return False
    if isinstance(expression, ast.BinOp):
        left, right = expression.left, expression.right
        if isinstance(expression.op, (ast.Mult, ast.Div)) and number(right, unit) is not None:
            return needs_value(left, name, unit)
        if isinstance(expression.op, ast.Mult) and number(left, unit) is not None:
            return needs_value(right, name, unit)
        if isinstance(expression.op, (ast.Add, ast.Sub)):
            return needs_value(left, name, unit) or needs_value(right, name, unit)
        return True
    if isinstance(expression, ast.UnaryOp):
        return needs_value(expression.operand, name, unit)
    if isinstance(expression, (ast.Subscript, ast.Attribute)) and root(expression) == name:
        return any(reads(i, name) for i in _indices(expression))
    if isinstance(expression, ast.Call) and called(expression).startswith(_LINEAR_CALLS):
        return any(needs_value(o, name, unit) for o in operands(expression))
    return not (isinstance(expression, ast.Name) and name in names_read(expression))


def _indices(node: ast.AST) -> list[ast.expr]:
    found = []
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        if isinstance(node, ast.Subscript):
            found.append(node.slice)
        node = node.value
    return found
