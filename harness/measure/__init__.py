"""Judges a gradient by differences of the objective, with intervals instead of tolerances.

Pure float64 numpy. The caller brings a batch evaluator of the objective; nothing here knows how
a program is run.
"""

from harness.measure.array import check_array
from harness.measure.problem import Budget, Evaluate, Outcome, Problem
from harness.measure.results import ArrayCheck, DirectionCheck, Rung

__all__ = [
    "ArrayCheck",
    "Budget",
    "DirectionCheck",
    "Evaluate",
    "Outcome",
    "Problem",
    "Rung",
    "check_array",
]
