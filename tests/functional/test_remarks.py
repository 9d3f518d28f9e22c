"""The example of every kind that is no defect, as its page shows it: named where it is, and not where it is not."""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest
from driving import Diagnose

from harness.schema import DEFECT_KINDS, NON_DEFECT_KINDS, Number, Report

KINDS = sorted(NON_DEFECT_KINDS)


def _module(kind: str) -> ModuleType:
    return importlib.import_module(f"harness.kinds.{kind.replace('-', '_')}")


def example(page: str, heading: str) -> str:
    """The script under one heading of a page."""
    body = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return textwrap.dedent(body)


def kinds(report: Report) -> set[str]:
    return {finding.kind for finding in report.findings}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_every_section_and_short_examples(kind: str) -> None:
    page = str(_module(kind).__doc__)
    sections = ["What it is", "Why it happens", "What is measured", "What proves it", "Known limits", "Bad", "Good"]
    positions = [page.index(f"\n## {name}\n") for name in [*sections, "References"]]
    assert positions == sorted(positions)
    assert page.startswith(f"{kind}\n")
    for heading in ("Bad", "Good"):
        assert len(example(page, heading).strip().splitlines()) < 30
    assert example(page, "Bad") != example(page, "Good")


@pytest.mark.parametrize("kind", KINDS)
def test_the_bad_example_is_named_and_leaves_the_gradient_alone(kind: str, diagnose: Diagnose) -> None:
    report = diagnose(example(str(_module(kind).__doc__), "Bad")).report
    assert kinds(report) == {kind}
    assert report.verdict in ("correct", "undecided"), report.summary
    (finding,) = report.findings
    assert finding.location is not None
    assert finding.evidence
    assert finding.next_step


@pytest.mark.parametrize("kind", KINDS)
def test_the_good_example_is_left_alone(kind: str, diagnose: Diagnose) -> None:
    report = diagnose(example(str(_module(kind).__doc__), "Good")).report
    assert report.verdict == "correct", report.summary
    assert not kinds(report) & (DEFECT_KINDS | NON_DEFECT_KINDS)


def test_the_converged_objective_is_that_of_a_longer_run(diagnose: Diagnose, tmp_path: Path) -> None:
    """The last pass, repeated inside the program, does what more passes in the script would."""
    script = example(str(_module("unconverged-solver").__doc__), "Bad")
    (finding,) = diagnose(script).report.findings
    numbers = {e.label: e.value for e in finding.evidence if isinstance(e, Number)}
    longer = script.replace("range(8)", "range(3000)").replace("p.grad", "loss")
    assert longer.count("range(3000)") == 1
    (tmp_path / "longer.py").write_text(longer)
    done = subprocess.run([sys.executable, "longer.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    loss = float(done.stdout.splitlines()[-1].strip("[]"))
    assert numbers["objective of the converged result"] == pytest.approx(loss, rel=1e-3)
    assert abs(numbers["objective"] - loss) > 0.1 * loss


def test_the_stable_rate_is_two_over_the_curvature(diagnose: Diagnose) -> None:
    (finding,) = diagnose(example(str(_module("step-size").__doc__), "Bad")).report.findings
    numbers = {e.label: e.value for e in finding.evidence if isinstance(e, Number)}
    # The objective is 50 (x - 1)^2 in each element: its curvature is 100, and the rate 0.03.
    assert numbers["step times curvature (stable below 2)"] == pytest.approx(3.0, rel=1e-3)
    assert any(bound in finding.next_step for bound in ("0.019", "0.02")), "rounded down"


LOOP = """\
import warp as wp


@wp.kernel
def NAME(h: wp.array(dtype=float), p: wp.array(dtype=float), dt: float, out: wp.array(dtype=float)):
    i = wp.tid()
    if i > 0 and i < 15:
        out[i] = STATE


@wp.kernel
def miss(h: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = (h[7] - 3.0) * (h[7] - 3.0)


p = wp.array([0.5], dtype=float, requires_grad=True)
h = wp.zeros(16, dtype=float, requires_grad=True)
loss = wp.zeros(1, dtype=float, requires_grad=True)
with wp.Tape() as tape:
    for _ in range(8):
        out = wp.zeros(16, dtype=float, requires_grad=True)
        wp.launch(NAME, dim=16, inputs=[h, p, 0.4], outputs=[out])
        h = out
    wp.launch(miss, dim=1, inputs=[h], outputs=[loss])
tape.backward(loss)
print(p.grad.numpy())
"""
DIFFUSION = "(h[i - 1] - 2.0 * h[i] + h[i + 1] + p[0] * p[0])"


@pytest.mark.parametrize(
    ("name", "state", "is_solver"),
    [
        pytest.param("advance", "0.5 * (h[i - 1] + h[i + 1] + p[0] * p[0])", True, id="a sweep by any name"),
        pytest.param("jacobi_sweep", f"h[i] + dt * {DIFFUSION}", False, id="a step with its length as an argument"),
        pytest.param("solve_poisson", f"h[i] + 0.15 * {DIFFUSION}", False, id="a step with its length written in"),
    ],
)
def test_what_a_pass_does_and_not_its_name_makes_a_solver(
    name: str, state: str, is_solver: bool, diagnose: Diagnose
) -> None:
    report = diagnose(LOOP.replace("NAME", name).replace("STATE", state)).report
    assert report.verdict == "correct", report.summary
    assert kinds(report) == ({"unconverged-solver"} if is_solver else set())


ON_OR_OFF = """\
import warp as wp


@wp.kernel
def heat(start: wp.array(dtype=float), n: int, loss: wp.array(dtype=float)):
    i = wp.tid()
    t = 0.1 * float(i)
    if i < n and t >= start[0]:
        wp.atomic_add(loss, 0, (1.0 - t) * (1.0 - t))


start = wp.array([0.34], dtype=float, requires_grad=True)
for _ in range(3):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(heat, dim=20, inputs=[start, 20], outputs=[loss])
    tape.backward(loss)
    start.assign(start.numpy() - 0.1 * start.grad.numpy())
    tape.zero()
"""


def test_a_comparison_is_shown_where_nothing_is_rounded(diagnose: Diagnose) -> None:
    report = diagnose(ON_OR_OFF).report
    (found,) = [f for f in report.findings if f.kind == "piecewise-constant"]
    assert "A comparison such as `t >= start[0]` (program.py:8)" in found.message
    assert found.location is not None
    assert found.location.line == 8
