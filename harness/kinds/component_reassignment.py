"""component-reassignment

## What it is
A component of a vector, matrix or quaternion that is local to a kernel is assigned although it already holds a value
that carries a gradient. The adjoint of the old value is not cleared: it keeps a gradient that belongs to the new one.

## Why it happens
Warp gives every variable one adjoint. `v[0] = ...` passes what `v[0]` receives to the new value and leaves it standing
for the old one. `v[0] += ...` is right. Setting `wp.config.enable_vector_component_overwrites` makes Warp copy the
vector at each assignment, at some cost in speed.

## What is measured
Differences of the objective against the gradient through the kernel; elements that enter the old value get too much.

## What proves it
The adjoint of the kernel is replaced by differences of its launches. Where the kernel holds other suspects too, the
program is compiled with component overwrites enabled: if that is enough, this is the fault.

## Known limits
A first assignment to a component that was constructed as zero is right, and not reported.

## Bad
```python
import warp as wp


@wp.kernel
def bounce(x: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    v = x[wp.tid()] * 2.0
    v[1] = v[1] * v[1] * 0.5
    wp.atomic_add(loss, 0, wp.dot(v, v))


x = wp.array([[0.5, 1.0, 1.5]], dtype=wp.vec3, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(bounce, dim=1, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def bounce(x: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    v = x[wp.tid()] * 2.0
    w = wp.vec3(v[0], v[1] * v[1] * 0.5, v[2])
    wp.atomic_add(loss, 0, wp.dot(w, w))


x = wp.array([[0.5, 1.0, 1.5]], dtype=wp.vec3, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(bounce, dim=1, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Vector, matrix and quaternion component assignment".
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..attribute.laboratory import treatment
from .kernel_source import Construct, Context, Unit, called, definitions, in_order, local_arrays, names_read, root

NAME = "component-reassignment"

_AXES = "xyzw"


def find(unit: Unit, context: Context) -> list[Construct]:
    """Assignments to components that may hold a value with a gradient, in the order of the source."""
    defined = definitions(unit)
    own = set(defined) - unit.arguments - set(local_arrays(unit))
    in_loops = {n for loop in unit.nodes() if isinstance(loop, (ast.For, ast.While)) for n in in_order(loop)}
    earlier: list[_Component] = []
    found = []
    for node in unit.nodes():
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            name = root(target)
            if isinstance(target, ast.Name) or name is None or name not in own:
                continue
            is_struct = all(_makes_struct(value) for value in defined[name])
            place = _component(target, is_struct)
            is_held = any(names_read(value) for value in defined[name]) or any(place.may_hold(e) for e in earlier)
            if place.index is not None and (is_held or node in in_loops):
                found.append(_construct(unit, node, name))
            earlier.append(place)
    return found


@dataclass(frozen=True)
class _Component:
    """What an assignment changes: ``v[0]`` has the base ``v`` and the index ``0``; a struct's member has no index."""

    base: str
    index: str | None

    def may_hold(self, earlier: _Component) -> bool:
        """Whether an earlier assignment may have given this component a value."""
        if earlier.index is None or self.index is None:
            return earlier.index is None and earlier.base == self.base
        is_same = earlier.index == self.index or not (_is_constant(earlier.index) and _is_constant(self.index))
        return earlier.base == self.base and is_same


def _component(target: ast.expr, is_struct: bool) -> _Component:
    if isinstance(target, ast.Subscript):
        return _Component(ast.unparse(target.value), ast.unparse(target.slice))
    assert isinstance(target, ast.Attribute)
    is_member = target.attr not in _AXES or (is_struct and isinstance(target.value, ast.Name))
    if is_member:
        return _Component(ast.unparse(target), None)
    return _Component(ast.unparse(target.value), str(_AXES.index(target.attr)))


def _makes_struct(value: ast.expr) -> bool:
    """``State()``: structs are called by a capitalised name, vectors are not."""
    return called(value)[:1].isupper()


def _is_constant(index: str) -> bool:
    return all(part.strip().isdigit() for part in index.strip("()").split(","))


def _construct(unit: Unit, node: ast.AST, name: str) -> Construct:
    return unit.construct(
        NAME,
        node,
        f"a component of `{name}` is assigned a second time, and the old value keeps its adjoint",
        f"Build a new value instead of assigning to a component of `{name}`, or set "
        "wp.config.enable_vector_component_overwrites.",
        treatment=treatment({"name": "compiler-options", "options": {"enable_vector_component_overwrites": True}}),
        action="the program compiled with component overwrites enabled",
    )
