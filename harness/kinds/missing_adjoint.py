"""missing-adjoint

## What it is
An operation between a parameter and the objective has no adjoint. Its result counts as a constant in backward: the part
of the gradient through it is zero, and nothing is said.

## Why it happens
- `enable_backward=False`, on the kernel or for its module.
- A builtin without an adjoint: `wp.frac`, `wp.atomic_exch`, `wp.atomic_cas`, `wp.tile_max`, `wp.tile_min`,
  `wp.mesh_get_point`, the second argument of `wp.mod` and `%`, and `wp.grad()` inside a kernel.
- A `@wp.func_native` without an `adj_snippet`.

Functions that round (`wp.floor`, `int(...)`) have no adjoint either, and rightly: their derivative is zero.

## What is measured
Differences of the objective. The gradient is too small, or zero, along the elements that act through the operation.

## What proves it
The adjoint of the kernel is replaced by differences of its own launches. With that autodiff agrees with the measured
derivative, without it does not; the source of the kernel then names the operation.

## Known limits
A kernel whose inputs have more than 4096 elements keeps its own adjoint. An operation of the list that acts on values
which carry no gradient is told from one that matters by its arguments alone.

## Bad
```python
import warp as wp


@wp.kernel(enable_backward=False)
def squares(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def total(x: wp.array(dtype=float), y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[i] * y[i] + 0.1 * x[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squares, dim=3, inputs=[x], outputs=[y])
        wp.launch(total, dim=3, inputs=[x, y], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def squares(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def total(x: wp.array(dtype=float), y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[i] * y[i] + 0.1 * x[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squares, dim=3, inputs=[x], outputs=[y])
        wp.launch(total, dim=3, inputs=[x, y], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Differentiability", and `is_differentiable` of each builtin (Warp 1.14 and later).
"""

from __future__ import annotations

import ast

from .kernel_source import Construct, Context, Unit, called, definition_line, is_integral, names_read, number, operands

NAME = "missing-adjoint"

# Whatever a version's own table says: measured.
WITHOUT_ADJOINT = {
    "frac", "atomic_exch", "atomic_cas", "atomic_max", "atomic_min", "tile_max", "tile_min", "tile_reduce", "grad",
    "mesh_get_point", "mesh_get_velocity", "mesh_eval_face_normal", "volume_lookup_f", "volume_lookup_v",
}  # fmt: skip

# In the table, but harmless: they make values, count, or round, so that their derivative is zero or none is due.
WITHOUT_DERIVATIVE = {
    "argmax", "argmin", "array", "block_dim", "bool", "breakpoint", "bit_count", "cast", "ceil", "extract", "floor",
    "floordiv", "identity", "index", "indexref", "int", "int8", "int16", "int32", "int64", "isfinite", "isinf", "isnan",
    "iter_next", "len", "load", "lower_bound", "mod", "nonzero", "poisson", "print", "printf", "quat_identity",
    "rand_init", "randf", "randi", "randn", "randu", "range", "reversed", "rint", "round", "select", "sign", "slice",
    "static", "step", "store", "tid", "tile_arange", "tile_empty", "tile_full", "tile_ones", "tile_view", "tile_zeros",
    "transform_identity", "trunc", "tuple", "uint8", "uint16", "uint32", "uint64", "unot", "zeros", "where",
}  # fmt: skip
_HARMLESS_PREFIXES = ("expect_", "bvh_", "hash_grid_", "mesh_query_", "sample_", "bit_", "lshift", "rshift")


def find(unit: Unit, context: Context) -> list[Construct]:
    """Switched off, native without an adjoint, or a builtin that has none, in that order."""
    return [*_switched_off(unit), *_native(unit), *_builtins(unit, context)]


def _switched_off(unit: Unit) -> list[Construct]:
    if not unit.is_kernel or unit.info["enable_backward"] is not False:
        return []
    why = "it is compiled with enable_backward=False"
    return [Construct(NAME, unit.file, definition_line(unit.info), why, "Drop enable_backward=False.")]


def _native(unit: Unit) -> list[Construct]:
    if not unit.info.get("native") or unit.info["native_adjoint"]:
        return []
    why = f"`{unit.name}` is a native snippet without an adjoint snippet"
    return [Construct(NAME, unit.file, definition_line(unit.info), why, f"Give `{unit.name}` an adj_snippet.")]


def _builtins(unit: Unit, context: Context) -> list[Construct]:
    certain, listed = [], []
    for node in unit.nodes():
        name = called(node)
        if name in WITHOUT_ADJOINT:
            certain.append(_without(unit, node, name))
        elif _divides(node, unit):
            why = "the adjoint of a remainder leaves out its second argument"
            remedy = "Write it as `a - b * wp.floor(a / b)` (for positive arguments)."
            certain.append(unit.construct(NAME, node, why, remedy))
        elif isinstance(node, ast.Call) and _is_listed(name, context) and _takes_values(node):
            listed.append(_without(unit, node, name))
    return certain + listed


def _without(unit: Unit, node: ast.AST, name: str) -> Construct:
    why = f"`wp.{name}` has no adjoint, and its result counts as a constant in backward"
    return unit.construct(NAME, node, why, f"Express `wp.{name}` with operations that have an adjoint.")


def _divides(node: ast.AST, unit: Unit) -> bool:
    """A remainder whose divisor can depend on a parameter."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        divisor = node.right
    elif called(node) == "mod" and isinstance(node, ast.Call) and len(node.args) == 2:
        divisor = node.args[1]
    else:
        return False
    return number(divisor, unit) is None and not is_integral(divisor, unit)


def _is_listed(name: str, context: Context) -> bool:
    is_harmless = name in WITHOUT_DERIVATIVE or name.startswith(_HARMLESS_PREFIXES)
    return name in context.nondifferentiable and not is_harmless


def _takes_values(call: ast.Call) -> bool:
    return any(names_read(argument) for argument in operands(call))
