"""unselected-branch

## What it is
A gradient is `nan` because of an operand that was not even selected: `wp.where(c, a, b)` computes both, and the adjoint
of the other one is infinite.

## Why it happens
`wp.where`, `wp.select` and `a if c else b` evaluate both operands and send an adjoint of zero to the one not chosen.
Zero times an infinite slope is `nan`: `wp.where(u == 0.0, 1.0, wp.sin(u) / u)` at `u = 0`, `wp.exp` that overflows,
`wp.log` or `wp.pow` of a value outside its domain. An `if` statement runs one side only, forward and backward.

## What is measured
Backward is run again with every adjoint watched; the first one that makes a value that is not finite names the kernel
and the argument.

## What proves it
The adjoint of that kernel is replaced by differences of its launches. With that the gradient is finite and agrees with
the measured derivative. The operand is found in the source: its condition tests the value that it cannot take.

## Known limits
An operand that is selected and singular at the same time is `nonfinite-adjoint`; the two are told apart by the
condition, not by the values.

## Bad
```python
import warp as wp


@wp.kernel
def slit(x: wp.array(dtype=float), angle: wp.array(dtype=float), loss: wp.array(dtype=float)):
    u = x[0] * angle[wp.tid()]
    a = wp.where(u == 0.0, 1.0, wp.sin(u) / u)
    wp.atomic_add(loss, 0, a * a)


x = wp.array([0.7], dtype=float, requires_grad=True)
angle = wp.array([-0.5, 0.0, 0.5, 1.0], dtype=float)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(slit, dim=4, inputs=[x, angle], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def slit(x: wp.array(dtype=float), angle: wp.array(dtype=float), loss: wp.array(dtype=float)):
    u = x[0] * angle[wp.tid()]
    safe = wp.where(u == 0.0, 1.0, u)
    a = wp.where(u == 0.0, 1.0, wp.sin(safe) / safe)
    wp.atomic_add(loss, 0, a * a)


x = wp.array([0.7], dtype=float, requires_grad=True)
angle = wp.array([-0.5, 0.0, 0.5, 1.0], dtype=float)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(slit, dim=4, inputs=[x, angle], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    tape.zero()
```

## References
The same trap is known from other systems that differentiate programs as the "double where" problem.
"""

from __future__ import annotations

import ast

from .kernel_source import Construct, Context, Unit, called, names_read
from .nonfinite_adjoint import guarded_operands, is_safeguarded, is_singular

NAME = "unselected-branch"

OVERFLOWING = ("exp", "sinh", "cosh", "tan")


def find(unit: Unit, context: Context) -> list[Construct]:
    """Operands of a selection whose condition keeps out the values at which they are not finite."""
    found: dict[ast.AST, Construct] = {}
    for selection, expression in guarded_operands(unit, _is_dangerous):
        if selection in found or (is_singular(expression, unit) and is_safeguarded(expression, unit)):
            continue
        what = f"`{ast.unparse(expression)}`"
        found[selection] = unit.construct(
            NAME,
            expression,
            f"{what} is evaluated also where it is not selected, and is not finite there",
            f"Give {what} a harmless argument where it is not selected, or use an if statement.",
        )
    return list(found.values())


def _is_dangerous(node: ast.AST, unit: Unit) -> bool:
    is_overflowing = called(node) in OVERFLOWING and bool(names_read(node))
    return is_overflowing or is_singular(node, unit)
