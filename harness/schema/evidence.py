"""Typed evidence of a finding. `type` tells the entries apart in JSON; the constructors fill it in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from harness.schema.model import Items, Model
from harness.schema.place import Location


class Number(Model):
    """One quantity."""

    type: Literal["number"] = "number"
    label: str
    value: float
    unit: str | None = None
    interval: float | None = None
    """Half-width, in the unit of `value`."""


class Comparison(Model):
    """Autodiff beside a measurement of the same derivative."""

    type: Literal["comparison"] = "comparison"
    label: str
    autodiff: float
    measured: float
    interval: float | None = None
    """Half-width around `measured`."""
    ratio: float | None = None
    """`autodiff / measured`."""


class ArrayChange(Model):
    """Contents that a launch read differ from what its adjoint finds."""

    type: Literal["array_change"] = "array_change"
    array: str
    writer: Location
    reader: Location
    elements_changed: NonNegativeInt
    max_abs_change: float
    """Largest change of one element, in the array's own unit."""


class Event(Model):
    """Something seen while the program ran."""

    type: Literal["event"] = "event"
    what: str
    file: str
    line: PositiveInt


class Series(Model):
    """One quantity over another, for example the ladder of difference steps or the norm of the gradient over time."""

    type: Literal["series"] = "series"
    label: str
    x: Items[float]
    y: Items[float]

    @model_validator(mode="after")
    def _same_length(self) -> Series:
        if len(self.x) != len(self.y):
            raise ValueError(f"series `{self.label}` has {len(self.x)} x values and {len(self.y)} y values")
        return self


class Note(Model):
    """A fact that is best said in words."""

    type: Literal["note"] = "note"
    text: str


Evidence = Annotated[
    Number | Comparison | ArrayChange | Event | Series | Note,
    Field(discriminator="type"),
]
