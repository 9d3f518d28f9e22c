"""Judges a gradient by differences of the objective, with intervals instead of tolerances.

Pure float64 numpy. The caller brings a batch evaluator of the objective; nothing here knows how
a program is run. `check_array` judges one parameter through the whole program, `localise` finds
the wrong elements, `judge_local` judges the adjoint of a single launch.
"""

from harness.measure.array import check_array
from harness.measure.glance import is_grossly_wrong
from harness.measure.local import LocalCheck, LocalDirection, LocalRung, judge_local
from harness.measure.localise import ElementCheck, Localisation, each_element, localise
from harness.measure.problem import Budget, Evaluate, Outcome, Problem
from harness.measure.results import ArrayCheck, DirectionCheck, Rung, distance

__all__ = [
    "ArrayCheck",
    "Budget",
    "DirectionCheck",
    "ElementCheck",
    "Evaluate",
    "LocalCheck",
    "LocalDirection",
    "LocalRung",
    "Localisation",
    "Outcome",
    "Problem",
    "Rung",
    "check_array",
    "distance",
    "each_element",
    "is_grossly_wrong",
    "judge_local",
    "localise",
]
