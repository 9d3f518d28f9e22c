"""dynamic-loop

## What it is
A loop in a kernel is not unrolled, and carries a value from pass to pass that its adjoint needs. Backward sees the last
value in every pass.

## Why it happens
Warp unrolls `for i in range(N)` for a constant N up to `max_unroll` (16), unless the body holds a `break`. Every other
loop is run backwards with one copy of each variable: a product, a recurrence, a running maximum, a `while` counter or
a `break` then meet values of the wrong pass. A plain sum (`s += f(i)`) needs no older values and is right, also with
`continue`; it is wrong where the sum is used in a product, a function or an index later in the same kernel.

## What is measured
Differences of the objective against the gradient through the kernel.

## What proves it
The adjoint of the kernel is replaced by differences of its launches. Where the kernel holds other suspects too and the
loop has a constant length, the program is compiled with a higher `max_unroll`: if that is enough, this is the fault.

## Known limits
Whether a loop is harmless is read from its source; sums through a function that changes its argument are not followed.

## Bad
```python
import warp as wp


@wp.kernel
def survival(x: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    p = float(1.0)
    for i in range(n):
        p = p * (1.0 - 0.2 * x[i])
    wp.atomic_add(loss, 0, p)


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(survival, dim=1, inputs=[x, 3], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.1 * x.grad.numpy())
    tape.zero()
```

## Good
```python
import warp as wp


@wp.kernel
def survival(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    p = float(1.0)
    for i in range(3):
        p = p * (1.0 - 0.2 * x[i])
    wp.atomic_add(loss, 0, p)


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(survival, dim=1, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.1 * x.grad.numpy())
    tape.zero()
```

## References
Warp documentation, "Dynamic loops" and the module option `max_unroll`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..attribute.laboratory import Treatment, treatment
from .in_place_arithmetic import needs_value
from .kernel_source import Construct, Context, Unit, called, in_order, names_read, number, targets_of

NAME = "dynamic-loop"
MAX_UNROLLED = 1024
_REMEDY = "Store each pass in an array, or make the length a constant and unroll the loop (max_unroll)."


def find(unit: Unit, context: Context) -> list[Construct]:
    """Loops that stay loops and whose adjoint needs values of single passes, in the order of the source."""
    found = []
    for loop in unit.nodes():
        if not isinstance(loop, (ast.For, ast.While)):
            continue
        why = _stays_a_loop(loop, unit, context.max_unroll)
        fault = _fault(loop, unit) if why else None
        if why and fault:
            header = loop.iter if isinstance(loop, ast.For) else loop.test
            names = names_read(loop) | names_read(header)
            undo, action = _unrolled(loop, unit)
            line = unit.line_of(loop)
            found.append(
                Construct(NAME, unit.file, line, f"{why}, and {fault}", _REMEDY, undo, action, unit.name, names)
            )
    return found


# --- is it unrolled? --------------------------------------------------------------------------------------------------
def _stays_a_loop(loop: ast.For | ast.While, unit: Unit, max_unroll: int) -> str | None:
    if isinstance(loop, ast.While):
        return "a while loop is never unrolled"
    if any(called(n) == "static" for n in ast.walk(loop)):
        return None
    count = length(loop, unit)
    if count is None:
        return "a loop whose length is not a constant is not unrolled"
    if count > max_unroll:
        return f"a loop of {count} is longer than max_unroll ({max_unroll}) and is not unrolled"
    return "a loop with a break is not unrolled" if _breaks(loop) else None


def length(loop: ast.For, unit: Unit) -> int | None:
    """Number of passes, where it is known when the kernel is compiled."""
    if called(loop.iter) != "range" or not isinstance(loop.iter, ast.Call):
        return None
    values = [number(a, unit) for a in loop.iter.args]
    return None if None in values or not values else len(range(*[int(v) for v in values if v is not None]))


def _breaks(loop: ast.For | ast.While) -> bool:
    """A ``break`` out of this loop, not out of one inside it."""
    return any(isinstance(n, ast.Break) for s in loop.body for n in _own(s))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, (ast.For, ast.While)):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _own(child)


def _unrolled(loop: ast.For | ast.While, unit: Unit) -> tuple[Treatment | None, str]:
    count = length(loop, unit) if isinstance(loop, ast.For) else None
    if count is None or count > MAX_UNROLLED or _breaks(loop):
        return None, ""
    settings = {"name": "compiler-options", "options": {"max_unroll": count}}
    return treatment(settings), f"the program compiled with max_unroll={count}"


# --- does backward need single passes? --------------------------------------------------------------------------------
def _fault(loop: ast.For | ast.While, unit: Unit) -> str | None:
    if isinstance(loop, ast.While):
        return "backward sees the last value of its condition in every pass"
    if _breaks(loop):
        return "backward leaves it where the last values say, not where each pass did"
    inside = set(ast.walk(loop))
    used_after = frozenset().union(
        *(names_read(n) for n in unit.nodes() if isinstance(n, ast.stmt) and n not in inside and n.lineno > loop.lineno)
    )
    for name in sorted(carried(loop, used_after)):
        if not _is_plain_sum(loop, name):
            return f"backward sees the last value of `{name}` in every pass"
        if any(_uses(s, name, unit) for s in _statements_from(loop, unit)):
            return f"backward needs `{name}`, which it starts anew"
    return None


def carried(loop: ast.For | ast.While, used_after: frozenset[str] = frozenset()) -> set[str]:
    """Variables that one pass takes over from the pass before."""
    walk = _Pass({t.id for n in ast.walk(loop) for t in targets_of(n) if isinstance(t, ast.Name)}, used_after)
    walk.block(loop.body, set())
    return walk.carried


class _Pass:
    """One pass of a loop, statement by statement: what is read before it is written comes from the pass before."""

    def __init__(self, assigned: set[str], used_after: frozenset[str]) -> None:
        self._assigned = assigned
        self._used_after = used_after
        self.carried: set[str] = set()

    def block(self, body: list[ast.stmt], written: set[str]) -> set[str]:
        """Names written after ``body``, given those written before it."""
        written = set(written)
        for position, statement in enumerate(body):
            if isinstance(statement, ast.If):
                self._reads(statement.test, written)
                branches = [self.block(b, written) for b in (statement.body, statement.orelse)]
                sometimes = (branches[0] ^ branches[1]) - written
                # A variable that is only sometimes written keeps its older value otherwise.
                later = {name for s in body[position + 1 :] for name in names_read(s)} | self._used_after
                self.carried |= sometimes & later
                written |= branches[0] & branches[1]
            elif isinstance(statement, (ast.For, ast.While)):
                self._reads(statement.iter if isinstance(statement, ast.For) else statement.test, written)
                written = self.block(statement.body, written)
            else:
                self._reads(statement, written)
                targets = {t.id for t in targets_of(statement) if isinstance(t, ast.Name)}
                if isinstance(statement, ast.AugAssign):
                    self.carried |= targets - written
                written |= targets
        return written

    def _reads(self, node: ast.AST, written: set[str]) -> None:
        self.carried |= (names_read(node) & self._assigned) - written


def _is_plain_sum(loop: ast.For | ast.While, name: str) -> bool:
    """The variable only ever grows by terms without it."""
    for statement in (n for b in loop.body for n in in_order(b)):
        if not any(isinstance(t, ast.Name) and t.id == name for t in targets_of(statement)):
            continue
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.AugAssign):
            if not isinstance(statement.op, (ast.Add, ast.Sub)) or name in names_read(statement.value):
                return False
        elif not (isinstance(value, ast.expr) and _adds(value, name)):
            return False
    return True


def _adds(value: ast.expr, name: str) -> bool:
    """``s + term``, ``term + s``, ``s - term``, with terms free of ``s``."""
    if isinstance(value, ast.Name):
        return value.id == name
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, (ast.Add, ast.Sub)):
        return False
    left, right = value.left, value.right
    if name not in names_read(right):
        return _adds(left, name)
    return isinstance(value.op, ast.Add) and name not in names_read(left) and _adds(right, name)


def _statements_from(loop: ast.stmt, unit: Unit) -> Iterator[ast.AST]:
    """Statements of the loop and all that follow it."""
    inside = set(ast.walk(loop))
    for node in unit.nodes():
        is_statement = isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.If))
        if is_statement and (node in inside or int(getattr(node, "lineno", 0)) > loop.lineno):
            yield node


def _uses(statement: ast.AST, name: str, unit: Unit) -> bool:
    """Whether the adjoint of a statement needs the value of a variable."""
    tested = statement.test if isinstance(statement, ast.If) else getattr(statement, "value", None)
    is_index = any(
        isinstance(n, ast.Subscript) and name in names_read(n.slice)
        for t in targets_of(statement) for n in ast.walk(t)
    )  # fmt: skip
    return is_index or (isinstance(tested, ast.AST) and needs_value(tested, name, unit))
