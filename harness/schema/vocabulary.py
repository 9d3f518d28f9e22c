"""The fixed words of the report: verdicts, confidences, and the names of causes."""

from __future__ import annotations

from typing import Final, Literal, get_args

SCHEMA_VERSION: Final = "1"

ReportVerdict = Literal["wrong", "correct", "undecided", "blocked"]
"""`blocked`: the program did not get to a gradient."""

ParameterVerdict = Literal["wrong", "correct", "undecided", "independent"]
"""`independent`: the gradient is zero and the objective does not react to the parameter. It is never a pass."""

CheckVerdict = Literal["agrees", "disagrees", "undecided", "independent"]
"""One comparison of autodiff with a measurement. Several of these make up a `ParameterVerdict`."""

Oracle = Literal["global", "replay", "local"]
"""What spoke: differences through the whole program, backward on recorded values, differences of single launches."""

Confidence = Literal["proven", "measured", "observed", "suspected"]
"""`proven`: an intervention removed the disagreement. `measured`: numbers show it. `observed`: it is in the recording.
`suspected`: only the pattern fits."""

DefectKind = Literal[
    "array-overwrite",
    "unrecorded-write",
    "severed-chain",
    "missing-adjoint",
    "gradient-accumulation",
    "double-counting",
    "gradient-truncation",
    "boundary-adjoint-dropped",
    "stale-gradient",
    "wrong-seed",
    "custom-adjoint",
    "in-place-arithmetic",
    "component-reassignment",
    "dynamic-loop",
    "local-array",
    "replay-side-effect",
    "nonfinite-adjoint",
    "unselected-branch",
    "copy-adjoint",
    "kernel-adjoint",
]
"""Reasons why a gradient is wrong."""

NonDefectKind = Literal[
    "piecewise-constant",
    "nonsmooth-point",
    "stochastic-forward",
    "cancellation",
    "chaotic-forward",
    "step-size",
    "unconverged-solver",
]
"""Reasons why a correct gradient does not help, or why differences cannot judge it."""

KindName = Literal[DefectKind, NonDefectKind]

Mechanism = Literal[
    "launch",
    "copy",
    "fill",
    "host-write",
    "alias",
    "struct-member",
    "reused-buffer",
    "in-place-kernel",
    "after-tape-closed",
]
"""How an `array-overwrite` changed contents that an adjoint needs."""

Cause = Literal[
    "requires-grad",
    "unrecorded-launch",
    "host-round-trip",
    "handle",
    "loss-off-tape",
    "integer-cast",
]
"""Where a `severed-chain` lost the path from the objective to the parameter."""

DEFECT_KINDS: Final[frozenset[str]] = frozenset(get_args(DefectKind))
NON_DEFECT_KINDS: Final[frozenset[str]] = frozenset(get_args(NonDefectKind))
