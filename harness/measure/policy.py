"""Constants of the measuring policy, each with the reason for its value."""

from __future__ import annotations

import numpy as np

FINE_STEPS = (2.0**-16, 2.0**-18)
"""Tried when the difference still changes at the finest step of the ladder and noise leaves room."""

LADDER = tuple(2.0**-m for m in (4, 6, 8, 10, 12, 14))
"""Ratio 4: truncation falls 16x per rung and noise rises 4x, so neighbours bracket the best rung."""

COARSE_STEPS = (2.0**0, 2.0**-2)
"""Tried when noise hides the change at the coarsest step of the ladder."""

SHORT_LADDER = (2.0**-6, 2.0**-8, 2.0**-10)
"""Around the float32 optimum u**(1/3) = 2**-8, for programs too slow for the whole ladder."""

SIGMAS = 4.0
"""Noise multiple behind every bound: about 100 comparisons per array, under 0.01 false exceedances."""

TRUNCATION_SAFETY = 5.0
"""Two rungs of ratio 4 bound the truncation by gap / 15 in theory; 5 keeps a safety of 3."""

ORDER_SEEN = 6.0
"""Successive gaps must shrink this much (theory: 16) before the second order counts as seen."""

VISIBLE_LIMIT = 0.1
"""`agrees` has to mean that an error of 10 % of the scale would have been seen."""

LONE_RESIDUAL = 0.25
"""A residual above this share of the scale counts even if only two rungs show it."""

DIRECTIONS = 4
"""Jittered-sign directions per array: every fault pattern tried is missed in under 1 %."""

JITTER = (0.5, 1.5)
"""Bounded below, so that no component of a step is lost under an ulp."""

FLOOR = 1e-3
"""Typical size of a parameter whose contents are zero."""

REPEATS = 3
"""Unperturbed runs, the baseline included, that show run-to-run variation."""

NOISE_POINTS = 9
NOISE_ATTEMPTS = 3
NOISE_FACTOR = 128.0
"""Change of the sampling width when the noise estimate says it was too narrow or too wide."""

ZERO_SET_TOLERANCE = 1e-3
"""A missing gradient counts from this share of the whole array's scale.

Autodiff predicts exactly zero on the zero set, so no relative tolerance is needed for its own
rounding. The share only keeps out contributions that no optimiser would notice and that an
underestimated noise floor could imitate; it is a tenth of the relative tolerance in float32."""

ROUNDING_ULPS = 8.0
"""Changes of the objective below this many ulps may vanish by rounding alone."""

CHAOTIC_NOISE = 2.0**-10
"""Noise above this share of the objective is not rounding: an unresolved difference then proves nothing."""

MINIMUM_EVALUATIONS = 8
"""Two directions of two rungs; below that nothing can be judged."""


def relative_tolerance(objective_dtype: np.dtype) -> float:
    """The error of autodiff itself, relative to the scale, in the precision of the objective."""
    return {2: 5e-2, 4: 1e-2}.get(np.dtype(objective_dtype).itemsize, 1e-5)


def ulp(value: float, dtype: np.dtype) -> float:
    """Spacing of `dtype` at `value`."""
    kind = np.dtype(dtype).type
    return float(np.spacing(kind(abs(value))))
