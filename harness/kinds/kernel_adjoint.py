"""kernel-adjoint

## What it is
The adjoint of one kernel is wrong, and none of the constructs with a kind of their own explains it.

## Why it happens
- Several threads store to one element. The last one gives the value; the gradient goes to another one (on the CPU, to
  the first).
- A thread reads what another thread of the same launch wrote.
- A construct that the Warp version at hand differentiates wrongly: `a[i].x += v` before 1.18, a store to a struct
  field of an array element before 1.14, a function that returns a struct before 1.15.
- A fault of Warp's that is not known here.

## What is measured
Differences of the objective against the gradient through the kernel.

## What proves it
The adjoint of the kernel is replaced by differences of its launches: with that autodiff agrees with the measured
derivative, without it does not.

## Known limits
The kernel is certain, the statement within it is not. On a GPU the order of threads is not fixed, and a race can show
up as a program that is random from run to run instead.

## Bad
```python
import warp as wp


@wp.kernel
def last_above(x: wp.array(dtype=float), level: float, y: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] > level:
        y[0] = x[i] * x[i]


@wp.kernel
def total(x: wp.array(dtype=float), y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[0] + 0.1 * x[i] * x[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(last_above, dim=3, inputs=[x, 0.2], outputs=[y])
        wp.launch(total, dim=3, inputs=[x, y], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def last_above(x: wp.array(dtype=float), level: float, y: wp.array(dtype=float)):
    last = int(0)
    for i in range(3):
        if x[i] > level:
            last = i
    y[0] = x[last] * x[last]


@wp.kernel
def total(x: wp.array(dtype=float), y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[0] + 0.1 * x[i] * x[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(last_above, dim=1, inputs=[x, 0.2], outputs=[y])
        wp.launch(total, dim=3, inputs=[x, y], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Limitations and workarounds" of differentiability; Warp's changelog, 1.14 to 1.18.
"""

from __future__ import annotations

import ast

from .kernel_source import Construct, Context, Unit, called, definition_line, names_read, root, targets_of

NAME = "kernel-adjoint"

_SUM = "Add up with `+=` or wp.atomic_add, or let one thread do it."


def find(unit: Unit, context: Context) -> list[Construct]:
    """Statements that are known to go wrong, and at last the kernel itself."""
    found = [*_by_version(unit, context), *_races(unit)]
    if unit.is_kernel:
        remedy = f"Rewrite `{unit.name}` so that Warp can differentiate it, or give it a @wp.func_grad."
        found.append(Construct(NAME, unit.file, definition_line(unit.info), "", remedy))
    return found


def _by_version(unit: Unit, context: Context) -> list[Construct]:
    found = []
    for node in unit.nodes():
        for target in targets_of(node):
            is_field = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Subscript)
            if not is_field or root(target) not in unit.arguments:
                continue
            if isinstance(node, ast.AugAssign) and context.warp < (1, 18):
                why = f"before Warp 1.18 the adjoint of `{ast.unparse(target)} +=` is wrong"
                found.append(unit.construct(NAME, node, why, "Add a whole vector, or update Warp."))
            elif isinstance(node, ast.Assign) and context.warp < (1, 14):
                why = f"before Warp 1.14 a store to `{ast.unparse(target)}` has no right adjoint"
                found.append(unit.construct(NAME, node, why, "Store the whole element, or update Warp."))
    return found


def _races(unit: Unit) -> list[Construct]:
    """Stores to elements that several threads may share, and reads of what another thread stores."""
    threads = _thread_indices(unit)
    if not threads:
        return []
    found = []
    for node in unit.nodes():
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if not isinstance(target, ast.Subscript) or root(target) not in unit.arguments:
                continue
            element = ast.unparse(target)
            if not _own_names(target.slice) & threads:
                why = (
                    f"several threads can store to `{element}`, and not the one that gives the value gets the gradient"
                )
                found.append(unit.construct(NAME, node, why, _SUM))
            elif any(_is_neighbour(n, target) for n in ast.walk(node.value)):
                why = f"threads read elements of `{root(target)}` that other threads of the same launch write"
                found.append(unit.construct(NAME, node, why, "Read from one array and write to another."))
    return found


def _thread_indices(unit: Unit) -> set[str]:
    """Variables that hold the thread index or a number computed from it."""
    found: set[str] = set()
    for node in unit.nodes():
        if isinstance(node, ast.Assign) and (called(node.value) == "tid" or _own_names(node.value) & found):
            found |= {target.id for target in targets_of(node) if isinstance(target, ast.Name)}
    return found


def _own_names(index: ast.AST) -> set[str]:
    """Names in an expression, without those that only serve to look up an element of an array."""
    inner = {name for n in ast.walk(index) if isinstance(n, ast.Subscript) for name in names_read(n)}
    return set(names_read(index)) - inner


def _is_neighbour(node: ast.AST, target: ast.Subscript) -> bool:
    is_same_array = isinstance(node, ast.Subscript) and root(node) == root(target)
    return is_same_array and ast.unparse(node) != ast.unparse(target)
