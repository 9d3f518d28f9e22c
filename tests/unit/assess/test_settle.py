"""A chaotic chain with contact: what the local and replay oracles together say about its gradient."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from harness.assess.settle import Settlement, examine

from .conftest import Program

Start = Callable[..., Program]

CHAIN = """
n, steps, dt = 16, 500, 4e-3

@wp.kernel
def forces(x: wp.array(dtype=wp.vec2), f: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    total = wp.vec2(0.0, -9.81)
    if i > 0:
        d = x[i] - x[i - 1]
        length = wp.length(d)
        total = total - d * (3000.0 * (length - 0.1) / length)
    if i < x.shape[0] - 1:
        d = x[i] - x[i + 1]
        length = wp.length(d)
        total = total - d * (3000.0 * (length - 0.1) / length)
    if x[i][1] < 0.0:
        total = total - wp.vec2(0.0, x[i][1] * 20000.0)
    f[i] = total

@wp.kernel
def integrate(x: wp.array(dtype=wp.vec2), v: wp.array(dtype=wp.vec2), f: wp.array(dtype=wp.vec2),
              x_next: wp.array(dtype=wp.vec2), v_next: wp.array(dtype=wp.vec2), dt: float):
    i = wp.tid()
    w = v[i] + f[i] * dt
    v_next[i] = w
    x_next[i] = x[i] + w * dt

@wp.kernel
def distance(x: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    d = x[wp.tid()] - wp.vec2(2.0, 0.5)
    wp.atomic_add(loss, 0, wp.dot(d, d))

rng = np.random.default_rng(1)
x0 = np.stack([np.arange(n) * 0.1, 0.2 + 0.03 * rng.standard_normal(n)], 1)
v0 = wp.array(rng.standard_normal((n, 2)), dtype=wp.vec2, requires_grad=True)

def state():
    return wp.zeros(n, dtype=wp.vec2, requires_grad=True)

xs = [wp.array(x0, dtype=wp.vec2, requires_grad=True)] + [state() for _ in range(steps)]
vs = [v0] + [state() for _ in range(steps)]
fs = [state() for _ in range(steps)]
loss = wp.zeros(1, dtype=float, requires_grad=True)
"""

RUN = """
tape = wp.Tape()
with tape:
    for s in range(steps):
        wp.launch(forces, n, [xs[s], fs[s]])
        wp.launch(integrate, n, [xs[s], vs[s], fs[s], xs[s + 1], vs[s + 1], dt])
    wp.launch(distance, n, [xs[steps], loss])
tape.backward(loss)
print(v0.grad.numpy())
"""


def settlement(program: Program) -> Settlement:
    """What `examine` says about the first consumption."""
    judged: Any = SimpleNamespace(consumption=program.consumptions[0])
    return examine(program.session, program.recording, judged)


def test_a_right_gradient_of_a_chaotic_chain_is_settled_by_its_launches(program: Start) -> None:
    found = settlement(program(CHAIN, RUN))
    assert found.is_settled, found.explanation
    assert {k.kernel for k in found.kernels} == {"forces", "integrate", "distance"}
    assert all(k.residual_rel < 1e-2 for k in found.kernels)


@pytest.mark.parametrize(
    ("reuse", "obstacle"),
    [
        ("xs = xs[:1] + [xs[1 + s % 400] for s in range(steps)]", "recorded contents"),
        ("vs[7] = wp.zeros(n, dtype=wp.vec2)", "carries no gradient"),
    ],
)
def test_the_same_chain_with_one_fault_is_not_settled(program: Start, reuse: str, obstacle: str) -> None:
    found = settlement(program(CHAIN, reuse + "\n", RUN))
    assert not found.is_settled
    assert obstacle in found.explanation
