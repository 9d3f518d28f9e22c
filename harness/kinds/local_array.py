"""local-array

## What it is
A kernel allocates an array of its own (`wp.zeros(shape=..., dtype=...)` inside the kernel), and its adjoint needs the
values stored there. It reads zeros instead.

## Why it happens
The adjoint kernel runs the forward part again to have its values at hand, but skips stores to arrays, also to those
that exist in the kernel only and are empty at that point.

## What is measured
Differences of the objective against the gradient through the kernel.

## What proves it
The adjoint of the kernel is replaced by differences of its launches; the allocation is found in its source.

## Known limits
Values that enter sums alone are not needed by the adjoint, and such an array is right; it is not reported.

## Bad
```python
import warp as wp


@wp.kernel
def products(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    s = wp.zeros(shape=3, dtype=float)
    for i in range(3):
        s[i] = x[i] * x[i]
    wp.atomic_add(loss, 0, s[0] * s[1] + s[2] * x[0])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(products, dim=1, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def products(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    s = wp.vec3(x[0] * x[0], x[1] * x[1], x[2] * x[2])
    wp.atomic_add(loss, 0, s[0] * s[1] + s[2] * x[0])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(products, dim=1, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Local arrays" (fixed-size arrays inside kernels).
"""

from __future__ import annotations

import ast

from .in_place_arithmetic import needs_value
from .kernel_source import Construct, Context, Unit, local_arrays

NAME = "local-array"


def find(unit: Unit, context: Context) -> list[Construct]:
    """Allocations whose values an adjoint needs."""
    return [
        unit.construct(
            NAME,
            statement,
            f"stores to `{name}`, an array local to the kernel, are not repeated in backward, which reads zeros",
            "Use a vector or separate variables, or an array that is passed to the kernel.",
        )
        for name, statement in local_arrays(unit).items()
        if any(_needs(node, name, unit) for node in unit.nodes())
    ]


def _needs(node: ast.AST, name: str, unit: Unit) -> bool:
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.AnnAssign)) and node.value is not None:
        return needs_value(node.value, name, unit)
    if isinstance(node, (ast.If, ast.While)):
        return needs_value(node.test, name, unit)
    return isinstance(node, ast.Expr) and needs_value(node.value, name, unit)
