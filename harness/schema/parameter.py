"""The parameters of the program and the checks of their gradients."""

from __future__ import annotations

from pydantic import NonNegativeInt

from harness.schema.model import Items, Model
from harness.schema.place import Location
from harness.schema.vocabulary import CheckVerdict, Oracle, ParameterVerdict


class Element(Model):
    """One element of a gradient against differences of its own."""

    index: Items[NonNegativeInt]
    """As numpy counts: [2, 0] is the first component of the third vector."""
    autodiff: float
    measured: float
    interval: float | None = None
    """Half-width around `measured`."""
    ratio: float | None = None
    verdict: CheckVerdict


class Check(Model):
    """Autodiff against one oracle, for one parameter, in one iteration.

    `autodiff` and `measured` are two values of the same scalar: a derivative along the tested direction, or a norm.
    """

    iteration: NonNegativeInt
    objective: str
    """Name of the scalar that is differentiated, for example "loss"."""
    oracle: Oracle
    autodiff: float
    measured: float
    interval: float | None = None
    """Half-width around `measured`."""
    ratio: float | None = None
    """`autodiff / measured` over all tested directions; None where it has no meaning."""
    verdict: CheckVerdict
    reason: str | None = None
    """Slug that says why the check is undecided, for example "noise_floor"."""
    smallest_visible_error: float | None = None
    """Smallest relative error of the gradient that this check would have seen; 0.36 is 36 %."""
    evaluations: NonNegativeInt = 0
    """Forward runs spent."""
    explanation: str = ""
    """One sentence with the numbers behind `reason`."""
    next_step: str = ""
    """What would decide an undecided check."""
    h: float | None = None
    """Relative difference step of the chosen rung."""
    eps_f: float | None = None
    """Noise floor of the objective, in its unit."""
    eps_f_in_ulps: float | None = None
    """The same in float32 units in the last place of the objective."""
    elements: Items[Element] = ()
    """Each element by itself, for small parameters and where it was asked for."""


class Parameter(Model):
    """A leaf array whose gradient the program consumes."""

    name: str
    location: Location | None = None
    """The line that made the array."""
    shape: Items[int] = ()
    dtype: str
    """Warp's name of the element type, for example "float32" or "vec3"."""
    verdict: ParameterVerdict
    checks: Items[Check] = ()
