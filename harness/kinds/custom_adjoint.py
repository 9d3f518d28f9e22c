"""custom-adjoint

## What it is
A function has an adjoint written by hand, and it is not the adjoint of what the function computes.

## Why it happens
`@wp.func_grad` with a wrong formula; one that leaves an argument out; one that assigns (`wp.adjoint[x] = ...`) where it
must add (`wp.adjoint[x] += ...`), which is wrong as soon as `x` is used twice. `@wp.func_replay` that does not give
back the value of the forward pass, so that later adjoints work on other values.

## What is measured
Differences of the objective against the gradient that passes through the hand-written adjoint.

## What proves it
The adjoint of the kernel is replaced by differences of its launches. Where the kernel holds other suspects too, the
hand-written adjoint alone is taken away, so that Warp compiles its own: if that is enough, it was at fault.

## Known limits
A straight-through estimator, gradient clipping and the like are meant to differ from the derivative; they show up as
`wrong` all the same, because what they give is not the derivative of the objective.

## Bad
```python
import warp as wp


@wp.func
def squash(x: float):
    return x / (1.0 + wp.abs(x))


@wp.func_grad(squash)
def adj_squash(x: float, adj_ret: float):
    wp.adjoint[x] += adj_ret / (1.0 + wp.abs(x))


@wp.kernel
def squashed(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, squash(x[i]) * x[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squashed, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.func
def squash(x: float):
    return x / (1.0 + wp.abs(x))


@wp.func_grad(squash)
def adj_squash(x: float, adj_ret: float):
    s = 1.0 + wp.abs(x)
    wp.adjoint[x] += adj_ret / (s * s)


@wp.kernel
def squashed(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, squash(x[i]) * x[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squashed, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Custom gradient functions" and "Custom replay functions".
"""

from __future__ import annotations

from ..attribute.laboratory import treatment
from .kernel_source import Construct, Context, Unit, definition_line

NAME = "custom-adjoint"


def find(unit: Unit, context: Context) -> list[Construct]:
    """The hand-written adjoint or replay of a function."""
    if unit.is_kernel:
        return []
    gradient, again = unit.info["custom_grad"], unit.info["custom_replay"]
    custom = gradient or again
    if custom is None:
        return []
    what = "an adjoint" if gradient else "a replay"
    undo = treatment({"name": "drop-custom-gradients", "functions": [unit.name]}) if gradient and not again else None
    return [
        Construct(
            NAME,
            custom["file"],
            definition_line(custom),
            f"`{unit.name}` has {what} written by hand that does not fit what it computes",
            f"Correct the custom gradient of `{unit.name}`; add to wp.adjoint[...] for every argument."
            if gradient
            else f"Let the replay function of `{unit.name}` return what the forward pass returned.",
            treatment=undo,
            action=f"the hand-written adjoint of `{unit.name}` taken away",
        )
    ]
