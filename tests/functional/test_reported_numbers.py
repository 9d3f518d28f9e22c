"""A seed written by hand is compared with the numbers that the program reports, wherever it keeps them."""

from __future__ import annotations

import pytest
from driving import Diagnose

PROGRAM = """\
import logging
import sys

import numpy as np
import warp as wp

logging.basicConfig(stream=sys.stdout, level=logging.INFO)


@wp.kernel
def misfits(heat: wp.array(dtype=float), seen: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    d = wp.exp(0.5 * heat[i]) - seen[i]
    out[i] = d * d


heat = wp.array(np.linspace(0.2, 1.4, 7), dtype=float, requires_grad=True)
seen = wp.array(np.linspace(1.5, 1.1, 7), dtype=float)


class Fit:
    def __init__(self):
        self.losses = []

    def step(self, index):
        out = wp.zeros(7, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(misfits, dim=7, inputs=[heat, seen], outputs=[out])
        tape.backward(grads={out: wp.full(7, SEED, dtype=float)})
        heat.assign(heat.numpy() - 0.02 * heat.grad.numpy())
        tape.zero()
REPORT


fit = Fit()
for index in range(5):
    fit.step(index)
"""

MEAN = "float(out.numpy().mean())"
WAYS = {
    "a variable, printed now and then": (
        f"value = {MEAN}\nif index % 2 == 0:\n    print(f'{{index}} loss {{value:.5f}}')"
    ),
    "an attribute that is a list": f"self.losses.append({MEAN})",
    "inside the printed text": f"print(f'{{index}} loss {{{MEAN}:.6g}}')",
    "a log record": f"logging.info('loss %.6f', {MEAN})",
    "the result of the function": f"return {MEAN}",
    "a value of a dictionary": f"history = {{'loss': {MEAN}}}\nprint(history['loss'])",
}


def program(seed: str, report: str) -> str:
    """The program with this seed and these lines at the end of a step."""
    indented = "\n".join(f"        {line}" for line in report.splitlines())
    return PROGRAM.replace("SEED", seed).replace("REPORT", indented)


@pytest.mark.parametrize("way", WAYS)
def test_a_seed_of_the_sum_is_wrong_where_the_mean_is_reported(way: str, diagnose: Diagnose) -> None:
    report = diagnose(program("1.0", WAYS[way])).report
    assert report.verdict == "wrong", report.summary
    (finding,) = report.findings
    assert (finding.kind, finding.confidence) == ("wrong-seed", "proven")
    assert "1 / 7" in finding.remedy


@pytest.mark.parametrize("way", WAYS)
def test_a_seed_of_the_mean_is_right(way: str, diagnose: Diagnose) -> None:
    report = diagnose(program("1.0 / 7.0", WAYS[way])).report
    assert report.verdict == "correct", report.summary
    assert report.findings == ()


@pytest.mark.parametrize(
    "lines",
    [
        "print(f'misfit {100.0 * float(out.numpy().mean()):.3f} %')",
        "total = float(out.numpy().sum())\nrms = (total / 7.0) ** 0.5\nprint(f'rms {rms:.5f}')",
    ],
    ids=["another unit", "a root; the sum on the way to it is nobody's number"],
)
def test_a_number_shown_otherwise_is_no_evidence_against_the_seed(lines: str, diagnose: Diagnose) -> None:
    report = diagnose(program("1.0 / 7.0", lines)).report
    assert report.verdict == "correct", report.summary
    assert report.findings == ()


def test_a_wrong_seed_beside_another_fault_is_found_as_well(diagnose: Diagnose) -> None:
    text = program("1.0", WAYS["a variable, printed now and then"]).replace("        tape.zero()\n", "")
    report = diagnose(text).report
    assert {f.kind for f in report.findings} == {"gradient-accumulation", "wrong-seed"}
    assert all(f.confidence == "proven" for f in report.findings)


def test_a_seed_without_a_term_of_the_reported_number_is_a_blind_spot(diagnose: Diagnose) -> None:
    lines = "value = float(out.numpy().mean() + 0.3 * np.square(heat.numpy()).mean())\nprint(f'loss {value:.6f}')"
    report = diagnose(
        program("1.0 / 7.0", lines.replace("heat.numpy()", "before")).replace(
            "        out = wp.zeros", "        before = heat.numpy().copy()\n        out = wp.zeros"
        )
    ).report
    assert report.verdict == "correct", report.summary
    (spot,) = [s for s in report.blind_spots if "seed" in s]
    assert "`value`" in spot
