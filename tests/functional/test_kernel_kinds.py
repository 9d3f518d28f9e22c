"""Faults inside kernels: the examples of every page, and kernels with harmless constructs beside the fault."""

from __future__ import annotations

import os

import pytest
from driving import Diagnose, Outcome

from harness import pages

KINDS = [
    "missing-adjoint",
    "custom-adjoint",
    "in-place-arithmetic",
    "component-reassignment",
    "dynamic-loop",
    "local-array",
    "replay-side-effect",
    "nonfinite-adjoint",
    "unselected-branch",
    "kernel-adjoint",
]
OLD_WARP = os.environ.get("WARP_VERSIONS_PYTHON")
"""An interpreter with another version of Warp."""

SECTIONS = (
    "What it is", "Why it happens", "What is measured", "What proves it", "Known limits", "Bad", "Good", "References",
)  # fmt: skip


def _kinds(outcome: Outcome) -> set[str]:
    return {finding.kind for finding in outcome.report.findings}


@pytest.mark.parametrize("kind", [*KINDS, "copy-adjoint"])
def test_a_page_has_every_section_and_short_examples(kind: str) -> None:
    page = pages.page(kind)
    positions = [page.index(f"\n## {heading}\n") for heading in SECTIONS]
    assert positions == sorted(positions)
    for heading in pages.EXAMPLES:
        assert 5 < len(pages.example(kind, heading).splitlines()) < 32


@pytest.mark.parametrize("kind", KINDS)
def test_the_bad_example_gives_exactly_its_kind_with_proof(kind: str, diagnose: Diagnose) -> None:
    outcome = diagnose(pages.example(kind, "Bad"))
    assert outcome.report.verdict == "wrong", outcome.report.summary
    assert _kinds(outcome) == {kind}
    (finding,) = outcome.report.findings
    assert finding.confidence == "proven"
    assert finding.location is not None
    assert finding.location.file == "program.py"
    assert finding.without is not None
    assert finding.with_intervention is not None


@pytest.mark.parametrize("kind", KINDS)
def test_the_good_example_is_correct_and_gives_nothing(kind: str, diagnose: Diagnose) -> None:
    outcome = diagnose(pages.example(kind, "Good"))
    assert outcome.report.verdict == "correct", outcome.report.summary
    assert _kinds(outcome) == set()


@pytest.mark.skipif(OLD_WARP is None, reason="needs WARP_VERSIONS_PYTHON with Warp before 1.17")
def test_an_old_copy_is_named_and_a_kernel_that_copies_is_not(diagnose: Diagnose) -> None:
    bad = diagnose(pages.example("copy-adjoint", "Bad"), "--python", str(OLD_WARP))
    assert [(f.kind, f.confidence) for f in bad.report.findings] == [("copy-adjoint", "proven")]
    good = diagnose(pages.example("copy-adjoint", "Good"), "--python", str(OLD_WARP))
    assert (good.report.verdict, _kinds(good)) == ("correct", set())


LOOP = """\
x = wp.array([0.5, 1.0, 1.5, 0.7], dtype=float, requires_grad=True)
for _ in range(4):
    y = wp.zeros(4, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(work, dim={dim}, inputs=[x, 4], outputs=[y])
        wp.launch(total, dim=4, inputs=[y], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.01 * x.grad.numpy())
    tape.zero()
"""
HEAD = """\
import warp as wp

@wp.func
def cube(v: float):
    return v * v * v

@wp.func_grad(cube)
def adj_cube(v: float, adj_ret: float):
    wp.adjoint[v] += 3.0 * v * v * adj_ret

@wp.kernel
def total(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, y[wp.tid()] * y[wp.tid()])

@wp.kernel
def work(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
"""

MIXED = {
    "a plain sum in a dynamic loop beside a product in place": (
        "in-place-arithmetic", "y[i] *=", 4,
        """
    s = float(0.0)
    for k in range(n):
        s += x[k] * x[k]
    y[i] = s
    y[i] *= x[i]
""",
    ),
    "a right custom gradient beside a recurrence in a long loop": (
        "dynamic-loop", "for k in range(24)", 4,
        """
    p = float(1.0)
    for k in range(24):
        p = p * (1.0 - 0.1 * x[i]) + 0.01 * x[i]
    y[i] = p + cube(x[i])
""",
    ),
    "a right custom gradient beside a second assignment to a component": (
        "component-reassignment", "v[1] =", 4,
        """
    v = wp.vec3(x[i], cube(x[i]), 1.0)
    v[1] = v[0] * v[1]
    y[i] = wp.dot(v, v)
""",
    ),
    "an array of summands in the kernel beside a running product": (
        "dynamic-loop", "for k in range(n)", 4,
        """
    kept = wp.zeros(shape=2, dtype=float)
    kept[0] = x[i] * x[i]
    kept[1] = x[i]
    p = float(1.0)
    for k in range(n):
        p = p * x[k]
    y[i] = kept[0] + kept[1] + p
""",
    ),
    "a harmless where beside the root of zero": (
        "nonfinite-adjoint", "wp.sqrt", 4,
        """
    r = wp.sqrt((x[i] - 0.5) * (x[i] - 0.5))
    y[i] = wp.where(x[i] > 0.6, r * r, 2.0 * r * r) + x[i]
""",
    ),
    "a safeguarded root beside an operand that is not selected": (
        "unselected-branch", "wp.where", 4,
        """
    d = x[i] - 0.5
    r = wp.sqrt(d * d + 0.01)
    y[i] = r + wp.where(d == 0.0, 1.0, wp.sin(d) / d)
""",
    ),
    "a remainder of integers beside a remainder of a parameter": (
        "missing-adjoint", "wp.mod", 4,
        """
    j = (i + n - 1) % n
    y[i] = wp.mod(2.0, x[i]) + x[j]
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", MIXED)
def test_the_fault_is_named_and_what_is_harmless_beside_it_is_not(what: str, diagnose: Diagnose) -> None:
    kind, snippet, dim, body = MIXED[what]
    outcome = diagnose(HEAD + body.lstrip("\n") + "\n" + LOOP.format(dim=dim))
    (finding,) = outcome.report.findings
    assert (finding.kind, finding.confidence) == (kind, "proven"), finding.message
    assert finding.location is not None
    assert snippet in str(finding.location.snippet)
