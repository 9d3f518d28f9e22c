"""What all models of the report share: immutable, no unknown fields, and JSON that survives NaN and infinity.

JSON has no spelling for non-finite numbers, and a debugger of gradients meets them daily. They are written as the
strings "NaN", "Infinity" and "-Infinity", and read back as floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict

T = TypeVar("T")

Items = Annotated[Sequence[T], AfterValidator(tuple)]
"""A list in JSON. Takes any sequence and keeps a tuple, so that a frozen model is frozen all the way down."""


class Model(BaseModel):
    """Base of every model that is part of a report."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")
