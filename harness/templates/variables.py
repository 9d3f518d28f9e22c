"""The variables of every template: one model each, whose docstring says which question the script answers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

_REFERENCE = re.compile(r"(?:[^:\0]+\.py|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ARRAY = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[-?\d+\]|\[['\"]\w+['\"]\])*")


def _reference(text: str) -> str:
    if not _REFERENCE.fullmatch(text):
        raise ValueError(f"`{text}` is not FILE.py:NAME or package.module:NAME")
    return text


def _file(text: str) -> str:
    if not text.endswith(".py"):
        raise ValueError(f"`{text}` is not a Python file")
    return text


def _array_name(text: str) -> str:
    if not _ARRAY.fullmatch(text):
        raise ValueError(f"`{text}` is not the name of an array, such as params, model.q or states[0].q")
    return text


def _contents(value: Any) -> Any:
    """A reference, a number, or nested lists of numbers."""
    if isinstance(value, str):
        return _reference(value)
    if isinstance(value, list | tuple):
        if not value:
            raise ValueError("contents may not be empty")
        return [_contents(entry) if not isinstance(entry, str) else _no_number(entry) for entry in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return _no_number(value)
    return value


def _no_number(value: Any) -> Any:
    raise ValueError(f"{value!r} is not a finite number; give numbers, nested lists of them, or FILE.py:NAME")


Reference = Annotated[str, AfterValidator(_reference)]
ScriptFile = Annotated[str, AfterValidator(_file)]
ArrayName = Annotated[str, AfterValidator(_array_name)]
Contents = Annotated[Any, AfterValidator(_contents)]


class Variables(BaseModel):
    """What all templates share."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Values for a full command."""


class ScriptVariables(Variables):
    """What all templates of scripts share."""

    seed: int = Field(0, ge=0, description="seed of the random directions")
    device: str | None = Field(None, description="Warp device; None is Warp's own choice")


class ProgramVariables(ScriptVariables):
    """A program under test: a function, or a whole script that is run up to its backward pass."""

    forward: Reference | None = Field(
        None,
        description="function that takes the parameter arrays and returns the loss array",
        examples=["sim.py:loss"],
    )
    parameters: dict[str, Contents] | list[ArrayName] = Field(
        description="with `forward`: name and contents of each parameter (numbers, or FILE.py:NAME); "
        "with `script`: names of the arrays in the script",
        examples=[{"gain": [1.0, 0.4]}, ["params"]],
        min_length=1,
    )
    dtypes: dict[str, str] = Field(
        default_factory=dict, description="Warp types of parameters that are not float32", examples=[{"q": "vec3"}]
    )
    gradient: Reference | None = Field(
        None,
        description="function that takes the same arrays and returns their gradients; without it, a tape around "
        "`forward` gives them",
        examples=["sim.py:gradient"],
    )
    script: ScriptFile | None = Field(
        None, description="script to run in place of `forward`, as it stands", examples=["train.py"]
    )
    arguments: list[str] = Field(default_factory=list, description="arguments of `script`", examples=[["--steps", "8"]])
    backwards: int = Field(1, ge=1, description="calls of backward() that make up one iteration of `script`")
    iteration: int = Field(0, ge=0, description="iteration of `script` to look at, from 0")

    @model_validator(mode="after")
    def _one_program(self) -> ProgramVariables:
        if (self.forward is None) == (self.script is None):
            raise ValueError("give either `forward` or `script`")
        if self.forward is not None and not isinstance(self.parameters, dict):
            raise ValueError("with `forward`, `parameters` are names with contents, such as {'gain': [1.0, 0.4]}")
        if self.script is not None and isinstance(self.parameters, dict):
            raise ValueError("with `script`, `parameters` are names of arrays in the script, such as ['params']")
        return self


class FdCheck(ProgramVariables):
    """Does the gradient of a function or of a whole script agree with differences of its loss?"""

    example: ClassVar[Mapping[str, Any]] = MappingProxyType({"script": "train.py", "parameters": ["params"]})


TEMPLATES: Final[dict[str, type[Variables]]] = {
    "fd_check": FdCheck,
}
"""Every template with its variables, in the order in which they are listed."""
