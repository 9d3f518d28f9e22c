"""boundary-adjoint-dropped

## What it is
Adjoints are handed from tape to tape by hand, and one of the arrays that cross a boundary is left out: its part of the
derivative ends there.

## Why it happens
Checkpointing or segments of a long rollout: each segment starts from copies of the state, and the seeds of the earlier
tape are the gradients of those copies. A state of several arrays (position and velocity) needs a seed for each.

A relative of it, with the same cure: a seed that is assigned where it must add. `backward(grads=...)` and `wp.copy`
write over what the gradient of the boundary array holds, for example from a cost of that state on a tape of its own:

    cost.backward(early)                  # p1.grad is now d(early)/dp1
    second.backward(late)                 # p.grad is d(late)/dp, p the copy of p1
    first.backward(grads={p1: p.grad})    # assigned: the part of `early` is lost

    both = wp.array(p1.grad.numpy() + p.grad.numpy(), dtype=float)
    first.backward(grads={p1: both})      # instead of the line above: added

## What is measured
Differences of the objective through all segments, against the gradient that the chained passes give.

## What proves it
The state that is not chained is held at its recorded contents in the runs that are differenced. If the measured
derivative then falls to what the gradient says, what is missing passes through it.

## Known limits
A seed that is handed on with a wrong value, one that is assigned where it must add among them, makes the gradient
`wrong`, and no cause is named. If one array is dropped at some of the boundaries only, the cases looked for are all of
them, and all but the last.

## Bad
```python
import warp as wp

arr = wp.array(dtype=float)


@wp.kernel
def step(x: arr, p: arr, v: arr, p_new: arr, v_new: arr, loss: arr):
    i = wp.tid()
    w = v[i] - 0.5 * x[i] * p[i]
    p_new[i] = p[i] + 0.5 * w
    v_new[i] = w
    wp.atomic_add(loss, 0, p[i] + 0.5 * w)


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    p0, v0, p1, v1, p2, v2 = (wp.ones(3, dtype=float, requires_grad=True) for _ in range(6))
    middle, loss = (wp.zeros(1, dtype=float, requires_grad=True) for _ in range(2))
    with wp.Tape() as first:
        wp.launch(step, dim=3, inputs=[x, p0, v0], outputs=[p1, v1, middle])
    p, v = wp.clone(p1), wp.clone(v1)
    with wp.Tape() as second:
        wp.launch(step, dim=3, inputs=[x, p, v], outputs=[p2, v2, loss])
    second.backward(loss)
    first.backward(grads={p1: p.grad})
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    x.grad.zero_()
```

## Good
```python
import warp as wp

arr = wp.array(dtype=float)


@wp.kernel
def step(x: arr, p: arr, v: arr, p_new: arr, v_new: arr, loss: arr):
    i = wp.tid()
    w = v[i] - 0.5 * x[i] * p[i]
    p_new[i] = p[i] + 0.5 * w
    v_new[i] = w
    wp.atomic_add(loss, 0, p[i] + 0.5 * w)


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    p0, v0, p1, v1, p2, v2 = (wp.ones(3, dtype=float, requires_grad=True) for _ in range(6))
    middle, loss = (wp.zeros(1, dtype=float, requires_grad=True) for _ in range(2))
    with wp.Tape() as first:
        wp.launch(step, dim=3, inputs=[x, p0, v0], outputs=[p1, v1, middle])
    p, v = wp.clone(p1), wp.clone(v1)
    with wp.Tape() as second:
        wp.launch(step, dim=3, inputs=[x, p, v], outputs=[p2, v2, loss])
    second.backward(loss)
    first.backward(grads={p1: p.grad, v1: v.grad})
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    x.grad.zero_()
```

## References
Griewank and Walther: Evaluating derivatives (2008), chapter 12.
"""

from __future__ import annotations

from ..schema import Location
from . import places
from .undoing import Words

NAME = "boundary-adjoint-dropped"


def words(name: str, entered: Location | None, backward_at: Location | None) -> Words:
    """For state ``name`` that enters the next tape at ``entered``, where backward is chained by hand."""
    return Words(
        kind=NAME,
        title=f"the adjoint of `{name}` is not handed to the earlier segment",
        message=(
            f"Adjoints are chained by hand from tape to tape, but `{name}`{places.where(entered)} carries a "
            f"dependence across a boundary that backward(){places.where(backward_at)} is not given."
        ),
        remedy=f"Add the gradient of `{name}` to the seeds of the earlier tape.",
    )
