"""``inspect-case``: what is measured for one case, beside the reference. For those who write cases."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from evals.command.arguments import parser
from evals.corpus import CASES, StoredCase, select
from evals.judge import comparisons, describe
from evals.measure import Bench, Measurement, number, unseen
from evals.patch import blocks
from evals.truth import load_reference, value
from evals.validate import fixed_texts
from evals.workspace import write_texts

_EPILOG = """\
examples:
  python -m evals.run inspect-case two-planes
"""


def run(arguments: list[str]) -> int:
    """Show parameters, gradients, forward values and the metric, without and with the fix."""
    made = parser("inspect-case", "Show what is measured for one case, beside the reference.", _EPILOG)
    made.add_argument("case", metavar="CASE")
    made.add_argument("--corpus", type=Path, default=CASES, metavar="DIR")
    parsed = made.parse_args(arguments)
    (stored, *_) = select([parsed.case], parsed.corpus)
    variants = {"as staged": stored.texts}
    if stored.patch:
        variants["with the fix"] = fixed_texts(stored)
        for count, block in enumerate(blocks(stored.texts, variants["with the fix"]), 1):
            print(f"block {count}: {block.file}:{block.start + 1}")
            print("".join([*(f"  - {line}" for line in block.old), *(f"  + {line}" for line in block.new)]), end="")
    with Bench() as bench, tempfile.TemporaryDirectory() as folder:
        for name, texts in variants.items():
            place = Path(folder, name.replace(" ", "-"))
            write_texts(stored, texts, place)
            print(f"== {name}")
            measured = bench.measure(stored.case, place)
            _show(stored, measured)
            if measured.points:
                print("-- at unseen values")
                _show(stored, bench.measure(stored.case, place, unseen(stored.case, measured.initial(), 1)))
            whole = bench.run(stored.case, place)
            print(f"-- whole program ({whole.seconds:.1f} s) {whole.failure}".rstrip())
            print("\n".join(whole.printed.splitlines()[-3:]))
            if stored.case.metric is not None:
                metric = stored.case.metric
                print(f"metric {number(metric.pattern, whole.printed, metric.take, metric.better)}")
    return 0


def _show(stored: StoredCase, measured: Measurement) -> None:
    if measured.failure:
        print(measured.failure)
    if stored.case.truth.absent or not measured.points:
        return
    reference = load_reference(stored.reference_path)
    for point in measured.points:
        with np.printoptions(precision=6, threshold=12):
            for name, contents in point.parameters.items():
                print(f"iteration {point.iteration}: {name} {tuple(contents.shape)} = {contents.ravel()}")
            for name, gradient in point.gradients.items():
                print(f"    consumed gradient of {name}: {gradient if gradient is None else gradient.ravel()}")
        print(f"    loss {point.loss}, reference {value(reference.objective, point.parameters, point.iteration):.8g}")
    for comparison in comparisons(stored.case, reference, measured, {}):
        print(f"    {describe(comparison)}")
