"""A small case that the tests vary: a program, its faulty twin, the reference and what ``case.json`` says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evals.corpus import StoredCase

PROGRAM = """\
import numpy as np
import warp as wp

STEPS = 6


@wp.kernel
def cubes(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * x[i])


x = wp.array(np.array([0.5, 1.0, 1.5, 2.0], dtype=np.float32), requires_grad=True)
for step in range(STEPS):
    loss = wp.zeros(1, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(cubes, dim=4, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
    tape.zero()
    print(f"step {step} loss {loss.numpy()[0]:.6f}")
"""
"""Right as it stands."""
FAULTY = PROGRAM.replace("    tape.zero()\n", "")
"""The gradients of all steps add up."""
REFERENCE = """\
import numpy as np


def objective(parameters, iteration):
    return float(np.sum(parameters["x"] ** 3))
"""
CASE: dict[str, Any] = {
    "id": "cubes",
    "title": "Cubes",
    "family": "cubes",
    "prompt": "The loss falls too fast.",
    "entry": "program.py",
    "expected": {
        "verdict": "wrong",
        "causes": [
            {"kind": "gradient-accumulation", "file": "program.py", "lines": [20, 21], "why": "Nothing clears x.grad."}
        ],
    },
    "parameters": [{"name": "x", "shape": [4]}],
}

MakeCase = Callable[..., StoredCase]
"""See the fixture `make_case`."""
