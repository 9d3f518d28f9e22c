"""The variables of every template: one model each, whose docstring says which question the script answers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from harness.templates.fields import (
    Argument,
    Arguments,
    Backwards,
    Constants,
    Contents,
    Dtypes,
    Iteration,
    Name,
    Parameters,
    Reference,
    ScriptFile,
)


class Variables(BaseModel):
    """What all templates share."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Values for a full command."""


class ScriptVariables(Variables):
    """What all templates of scripts share."""

    seed: int = Field(0, ge=0, description="seed of the random directions")
    device: str | None = Field(None, description="Warp device; None is Warp's own choice")


def _check_program(forward: str | None, script: str | None, parameters: Any) -> None:
    """One program, with parameters in its form."""
    if (forward is None) == (script is None):
        raise ValueError("give either `forward` or `script`")
    if forward is not None and not isinstance(parameters, dict):
        raise ValueError("with `forward`, `parameters` are names with contents, such as {'gain': [1.0, 0.4]}")
    if script is not None and not isinstance(parameters, list):
        raise ValueError("with `script`, `parameters` are names of arrays in the script, such as ['params']")


class ProgramSettings(ScriptVariables):
    """A program under test: a function, or a whole script that is run up to its backward pass."""

    forward: Reference | None = Field(
        None,
        description="function that takes the parameter arrays and returns the loss array",
        examples=["sim.py:loss"],
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
    dtypes: Dtypes
    arguments: Arguments
    backwards: Backwards
    iteration: Iteration
    constants: Constants


class ProgramVariables(ProgramSettings):
    """A program that has to be there."""

    parameters: Parameters

    @model_validator(mode="after")
    def _one_program(self) -> ProgramVariables:
        _check_program(self.forward, self.script, self.parameters)
        return self


class FdCheck(ProgramVariables):
    """Does the gradient of a function or of a whole script agree with differences of its loss?"""

    example = MappingProxyType({"script": "train.py", "parameters": ["params"]})


class OverwriteAudit(ProgramVariables):
    """Which arrays change between the launch that reads them and the adjoint that needs them, and does it matter?"""

    example = MappingProxyType({"script": "train.py", "parameters": ["params"]})


class LaunchCheck(ScriptVariables):
    """Is the adjoint of one kernel, launched alone with given arguments, the derivative of what it computes?"""

    kernel: Reference = Field(description="the kernel", examples=["sim.py:integrate"])
    dim: Annotated[int, Field(ge=1)] | list[Annotated[int, Field(ge=1)]] = Field(
        description="launch dimensions", examples=[8, [4, 4]]
    )
    arguments: dict[str, Argument] = Field(
        min_length=1,
        description="every argument of the kernel by its name: a number, the contents of an array as nested lists, "
        '{"shape": N} for an array of zeros, or FILE.py:NAME of a value or of a function that makes one',
        examples=[{"q": [[0.0, 1.0]], "dt": 0.01, "out": {"shape": 1}}],
    )
    written: list[str] = Field(
        default_factory=list,
        description="arrays that the kernel writes; empty means those given by their shape",
        examples=[["out"]],
    )

    example = MappingProxyType(
        {"kernel": "sim.py:integrate", "dim": 2, "arguments": {"q": [0.5, 1.0], "dt": 0.01, "out": {"shape": 2}}}
    )


class HorizonBisect(ProgramVariables):
    """What is the smallest number of steps at which autodiff and differences part?"""

    steps: Name | None = Field(
        None,
        description="with `script`, its module-level constant for the number of steps; with `forward`, the number is "
        "passed as the last argument",
        examples=["STEPS"],
    )
    low: int = Field(1, ge=1, description="smallest number of steps to try")
    high: int = Field(64, ge=1, description="largest number of steps to try")

    example = MappingProxyType({"script": "train.py", "parameters": ["params"], "steps": "STEPS", "high": 64})

    @model_validator(mode="after")
    def _has_range(self) -> HorizonBisect:
        if (self.steps is None) != (self.script is None):
            raise ValueError("give `steps` with `script`, and only then")
        if self.low > self.high:
            raise ValueError("`low` is larger than `high`")
        return self


class Float64Reference(ProgramVariables):
    """Are loss and gradient of a program those of an independent float64 numpy version of its objective?"""

    reference: Reference = Field(
        description="function of your own that takes the parameters as float64 arrays and returns the loss",
        examples=["reference.py:loss"],
    )

    example = MappingProxyType({"script": "train.py", "parameters": ["params"], "reference": "reference.py:loss"})


class CustomAdjointProbe(ProgramSettings):
    """Is a custom gradient (`func_grad`) called in the chain, and is it the derivative of its function alone?"""

    function: Reference = Field(description="the Warp function", examples=["sim.py:squash"])
    samples: dict[Name, Contents] = Field(
        min_length=1,
        description="values to call the function at, the same number for every argument, in the order of its arguments",
        examples=[{"x": [-1.5, 0.3, 2.0]}],
    )
    sample_types: dict[str, str] = Field(
        default_factory=dict, description="Warp types of arguments that are not float32", examples=[{"v": "vec3"}]
    )
    returns: str = Field("float32", description="Warp type of what the function returns")
    parameters: Parameters | None = Field(
        None,
        description="parameters of the program (variables `forward` or `script`) in which to look for the function; "
        "without a program the function alone is judged",
        examples=[{"gain": [1.0, 0.4]}, ["params"]],
    )

    example = MappingProxyType(
        {"function": "sim.py:squash", "samples": {"x": [-1.5, 0.3, 2.0]}, "script": "sim.py", "parameters": ["params"]}
    )

    @model_validator(mode="after")
    def _one_program(self) -> CustomAdjointProbe:
        if self.forward is None and self.script is None and self.parameters is None:
            return self
        _check_program(self.forward, self.script, self.parameters)
        return self


class Checkpointing(ScriptVariables):
    """How to run backward in segments when memory runs out, shown to give the gradient of one tape over all steps."""

    step: Reference = Field(
        description="function step(state, parameters, number) that returns the next state; state and parameters are "
        "lists of arrays",
        examples=["sim.py:step"],
    )
    loss: Reference = Field(
        description="function loss(state, parameters) of the last state that returns the loss array; a running cost is "
        "part of the state",
        examples=["sim.py:loss"],
    )
    state: dict[Name, Contents] = Field(
        min_length=1, description="name and contents of each array of the state", examples=[{"x": [1.0], "v": [0.0]}]
    )
    parameters: dict[Name, Contents] = Field(
        min_length=1, description="name and contents of each parameter", examples=[{"gain": [1.0, 0.4]}]
    )
    dtypes: Dtypes
    steps: int = Field(ge=1, description="number of steps", examples=[64])
    segment: int = Field(0, ge=0, description="steps between two checkpoints; 0 means the square root of `steps`")

    example = MappingProxyType(
        {
            "step": "sim.py:step",
            "loss": "sim.py:loss",
            "state": {"x": [1.0], "v": [0.0]},
            "parameters": {"gain": [1.0, 0.4]},
            "steps": 64,
        }
    )


class Repro(ScriptVariables):
    """A skeleton for a small program that shows the same fault, and says whether it does."""

    symptom: str = Field(
        "", description="what the program does, in one sentence", examples=["the loss rises after iteration 10"]
    )
    kernels: list[Reference] = Field(
        default_factory=list,
        description="kernels of the user's file to use as they stand",
        examples=[["sim.py:spring"]],
    )
    size: int = Field(4, ge=1, description="number of elements")
    steps: int = Field(10, ge=1, description="number of steps; faults of the wiring may not show below about 10")
    start: Contents = Field([1.5], description="contents of the parameter")

    example = MappingProxyType({"symptom": "the loss rises after iteration 10", "kernels": ["sim.py:spring"]})


class VerifyFix(ScriptVariables):
    """Is a change a fix: gradient wrong before, right after, at several parameter values, the loss unchanged?"""

    before: Reference | ScriptFile = Field(
        description="the program before: a script, or a function that takes the parameters and returns the loss",
        examples=["old/train.py", "old/sim.py:loss"],
    )
    after: Reference | ScriptFile = Field(description="the program after, of the same form", examples=["train.py"])
    parameters: Parameters
    dtypes: Dtypes
    points: int = Field(3, ge=1, description="parameter values to compare at; the first are the program's own")
    arguments: Arguments
    backwards: Backwards
    iteration: Iteration
    constants: Constants

    example = MappingProxyType({"before": "old/train.py", "after": "train.py", "parameters": ["params"]})

    @model_validator(mode="after")
    def _same_form(self) -> VerifyFix:
        forms = {side.endswith(".py") for side in (self.before, self.after)}
        if len(forms) == 2 or forms == {isinstance(self.parameters, dict)}:
            raise ValueError(
                "`before` and `after` are two scripts with `parameters` as a list of names, or two functions with "
                "`parameters` as names with contents"
            )
        return self


class ReportVariables(Variables):
    """The report of a diagnosis in Markdown, with the numbers of JSON reports and rendered scripts filled in."""

    title: str = Field(description="the answer in one sentence", examples=["The gradient of `load` is wrong by 0.73"])
    complaint: str = Field("", description="what the user saw", examples=["the fit stalls after ten iterations"])
    cause: str = Field("", description="root cause in two sentences, with file:line")
    change: str = Field("", description="the minimal diff")
    report: str | None = Field(
        None, description="JSON report of `run.py SCRIPT --format json --output FILE`", examples=["report.json"]
    )
    probes: list[str] = Field(
        default_factory=list,
        description="files that hold the output of rendered scripts",
        examples=[["fd_check.txt", "verify_fix.txt"]],
    )
    metric: dict[str, float] = Field(
        default_factory=dict,
        description="the user's own measure of success, by name of the state of the program",
        examples=[{"before": 0.31, "after": 0.0002}],
    )
    ruled_out: list[str] = Field(default_factory=list, description="what was ruled out, and by which number")
    rerun: list[str] = Field(
        default_factory=list, description="commands that repeat the evidence", examples=[["python verify_fix.py"]]
    )

    example = MappingProxyType(
        {"title": "The gradient of `load` is 0.73 of what it should be", "rerun": ["python fd_check.py"]}
    )


TEMPLATES: Final[dict[str, type[Variables]]] = {
    "fd_check": FdCheck,
    "overwrite_audit": OverwriteAudit,
    "launch_check": LaunchCheck,
    "horizon_bisect": HorizonBisect,
    "float64_reference": Float64Reference,
    "custom_adjoint_probe": CustomAdjointProbe,
    "checkpointing": Checkpointing,
    "repro": Repro,
    "verify_fix": VerifyFix,
    "report": ReportVariables,
}
"""Every template with its variables, in the order in which they are listed."""
