"""The faults that templates know: where they sit, what they need, and what the right answer is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from harness.schema.vocabulary import Cause, DefectKind, KindName, Mechanism

Site = Literal["law", "rollout", "post", "readout", "loss", "seed", "update", "backward", "windows"]
"""At most one fault sits at each."""
Style = Mapping[str, tuple[str | bool, ...]]
"""Choices of style (`evals.generator.style`) that are left."""

_PATH = ("law", "rollout", "post", "readout", "windows")
"""Sites between the parameters and the misfit: nothing passes through one when the gradient is cut at another."""
_WHOLE: Style = {"form": ("history", "fresh")}
_NUMPY: Style = {"rule": ("sgd", "momentum")}


@dataclass(frozen=True)
class Fault:
    """A fault; its id is what templates ask for with ``f("id")`` and what marks its lines (``#!id``)."""

    id: str
    site: Site
    kind: DefectKind
    why: str
    needs: Style = field(default_factory=dict)
    host: str = ""
    """What the host has to have: ``acc``, ``two-states``, ``pointwise``."""
    mechanism: Mechanism | None = None
    cause: Cause | None = None
    since: str | None = None
    """First version of Warp on which it is alone: before, something else is wrong there too."""
    also: tuple[KindName, ...] = ()
    cuts: bool = False
    """No gradient passes its site; others on the same path have no effect until it is mended."""
    spoils: bool = False
    """Every consumed gradient is zero or not a number because of it, so that it hides all others."""


def _law(name: str, law: str, kind: DefectKind, why: str, **more: object) -> Fault:
    return Fault(f"law-{name}", "law", kind, why, {"law": (law,)}, **more)  # type: ignore[arg-type]


def _readout(name: str, readout: str, kind: DefectKind, why: str, **more: object) -> Fault:
    return Fault(f"readout-{name}", "readout", kind, why, {"readout": (readout,)}, **more)  # type: ignore[arg-type]


def _post(name: str, mechanism: Mechanism | None, why: str) -> Fault:
    needs: Style = {**_WHOLE, "post": (name,), "readout": ("bent", "window", "lag", "triple", "scale")}
    return Fault(f"post-{name}", "post", "array-overwrite", f"Before backward {why}", needs, mechanism=mechanism)


_ALL = (
    # The law: from parameters to coefficients.
    _law("disabled", "square", "missing-adjoint", "The kernel is compiled without an adjoint.", cuts=True),
    _law("native", "native", "missing-adjoint", "The native function has no adjoint snippet."),
    _law("wrap", "phase", "missing-adjoint", "wp.frac has no adjoint, though its derivative is 1."),
    _law("grad-formula", "squash", "custom-adjoint", "The custom gradient is not the derivative of the function."),
    _law("grad-assigned", "squash", "custom-adjoint", "The custom gradient assigns where it has to add."),
    _law("loop", "series", "dynamic-loop", "The loop has a dynamic length and carries a product."),
    _law("root", "root", "nonfinite-adjoint", "The square root has an infinite slope at weight 0.", spoils=True),
    _law("where", "sinc", "unselected-branch", "The operand that is not selected divides by zero.", spoils=True),
    _law("in-place", "staged", "in-place-arithmetic", "An element is multiplied in place."),
    _law("component", "vector", "component-reassignment", "A component that already holds a value is assigned again."),
    Fault("derive-no-grad", "law", "severed-chain", "The coefficients have no requires_grad.", cause="requires-grad",
          cuts=True),
    Fault("derive-host", "law", "severed-chain", "The coefficients are computed in numpy.", cause="host-round-trip",
          cuts=True),
    Fault("derive-before", "law", "severed-chain", "The launch comes before the tape.", _WHOLE,
          cause="unrecorded-launch", cuts=True),
    Fault("derive-command", "law", "severed-chain", "A prebuilt launch is not recorded.",
          {"law": ("square", "staged", "vector")}, cause="unrecorded-launch", cuts=True),
    # The rollout.
    Fault("rollout-pingpong", "rollout", "array-overwrite", "Two buffers take turns over all steps.", _WHOLE,
          mechanism="reused-buffer"),
    Fault("rollout-copy", "rollout", "array-overwrite", "The new state is copied over the old one at each step.",
          _WHOLE, mechanism="copy", since="1.17.0"),
    Fault("rollout-in-place", "rollout", "array-overwrite", "The kernel writes the state that it reads.", _WHOLE,
          host="pointwise", mechanism="in-place-kernel", also=("in-place-arithmetic",)),
    Fault("rollout-zero", "rollout", "unrecorded-write", "zero_() of the accumulator is not on the tape.", host="acc"),
    Fault("rollout-fill", "rollout", "unrecorded-write", "fill_() of the accumulator is not on the tape.", host="acc"),
    Fault("rollout-no-grad", "rollout", "severed-chain", "The states after the first have no requires_grad.", _WHOLE,
          cause="requires-grad", cuts=True),
    # After the tape has closed.
    _post("normalise", "host-write", "the final state is scaled through a view of numpy."),
    _post("release", None, "the final state is zeroed."),
    _post("rewind", "copy", "the start is copied over the final state."),
    _post("flat", None, "the final state is filled through an alias."),
    _post("smooth", None, "the halves of the final state are laid over each other."),
    # The readout.
    Fault("measure-host", "readout", "severed-chain", "The final state goes through numpy.", cause="host-round-trip",
          cuts=True),
    _readout("disabled", "bent", "missing-adjoint", "The kernel is compiled without an adjoint.", cuts=True),
    _readout("exchange", "bent", "missing-adjoint", "wp.atomic_exch has no adjoint.", cuts=True),
    _readout("local", "window", "local-array", "The adjoint needs the values of an array of the kernel's own."),
    _readout("loop", "lag", "dynamic-loop", "The loop has a dynamic length and carries a recurrence."),
    _readout("component", "triple", "component-reassignment", "A component that already holds a value is assigned."),
    _readout("race", "pairs", "kernel-adjoint", "Two threads store to one element."),
    _readout("in-place", "scale", "in-place-arithmetic", "An element is multiplied in place."),
    # More backward passes over one counter would run past the end of the array.
    Fault("readout-slots", "readout", "replay-side-effect", "Backward replays the kernel, and the counter moves on.",
          {"readout": ("slots",), "tape": ("fresh",), "log_gradient": (False,)}),
    # The loss.
    Fault("loss-late", "loss", "severed-chain", "A term of the loss is added after the tape has closed.",
          {**_WHOLE, "penalty": (True,), "loss": ("scalar",)}, cause="loss-off-tape"),
    Fault("loss-sum", "loss", "severed-chain", "wp.utils.array_sum is not on the tape.",
          {"loss": ("scalar",), "form": ("history", "fresh")}, cause="loss-off-tape", cuts=True),
    Fault("seed-spent", "seed", "wrong-seed", "Backward consumes the seed: it is zero from the second iteration on.",
          {**_WHOLE, "tape": ("fresh",), "loss": ("seeded",), "cost_grad": (False,)}),
    Fault("seed-mean", "seed", "wrong-seed", "The mean is reported and the sum is seeded.",
          {**_WHOLE, "tape": ("fresh",), "loss": ("seeded",), "reported": ("mean",)}),
    # Around backward.
    Fault("clear-never", "update", "gradient-accumulation", "Nothing clears the gradients between iterations.",
          {**_WHOLE, "tape": ("fresh",)}),
    Fault("clear-fresh", "update", "gradient-accumulation", "zero() on a tape that was just made clears nothing.",
          {**_WHOLE, "tape": ("fresh",)}),
    Fault("clear-one", "update", "gradient-accumulation", "Only one of two gradients is cleared.",
          {**_WHOLE, "tape": ("fresh",), "clearing": ("arrays",), "gain": (True,)}),
    Fault("read-view", "update", "stale-gradient", "The gradient is a view, and is cleared before it is used.",
          {**_NUMPY, "form": ("history", "fresh"), "clearing": ("tape",)}, spoils=True),
    Fault("read-early", "update", "stale-gradient", "The gradient is read before backward.",
          {**_NUMPY, **_WHOLE, "clearing": ("arrays",), "tape": ("fresh",)}),
    # A step between forward and backward also changes what the adjoints read.
    Fault("step-early", "update", "stale-gradient", "The update comes before backward.",
          {**_WHOLE, "clearing": ("arrays",), "tape": ("fresh",)}, also=("array-overwrite",)),
    Fault("backward-twice", "backward", "double-counting", "A second backward pass for the log adds everything again.",
          {**_WHOLE, "loss": ("scalar",), "log_gradient": (True,)}),
    Fault("tape-reentered", "backward", "double-counting", "The tape still holds the launches of earlier iterations.",
          {**_WHOLE, "tape": ("reused",), "loss": ("scalar",)}),
    # Iterations over several tapes.
    Fault("windows", "windows", "gradient-truncation", "Each window has a tape of its own.", {"form": ("windows",)}),
    Fault("segments-first", "windows", "boundary-adjoint-dropped", "The first array of the state is not chained.",
          {"form": ("segments",)}, host="two-states"),
    Fault("segments-second", "windows", "boundary-adjoint-dropped", "The second array of the state is not chained.",
          {"form": ("segments",)}, host="two-states"),
)  # fmt: skip
FAULTS = {fault.id: fault for fault in _ALL}


def fits(fault: Fault, host_has: frozenset[str]) -> bool:
    """Whether a host with these features can have the fault."""
    return not fault.host or fault.host in host_has


def requirements(faults: Iterable[Fault]) -> dict[str, tuple[str | bool, ...]] | None:
    """Choices of style that allow all faults together; None if there are none."""
    left: dict[str, tuple[str | bool, ...]] = {}
    sites: set[Site] = set()
    for fault in faults:
        if fault.site in sites:
            return None
        sites.add(fault.site)
        for key, allowed in fault.needs.items():
            left[key] = tuple(value for value in left.get(key, allowed) if value in allowed)
            if not left[key]:
                return None
    return left


def hidden(faults: Sequence[Fault], gain: bool, penalty: bool) -> dict[str, Fault]:
    """For faults without effect until another is mended: that other one, by their ids.

    Two that hide each other are both in sight: the first one looked for is found.

    Args:
        gain: the readout has a parameter of its own.
        penalty: a term of the loss depends on the parameters directly.
    """
    found = {}
    for fault in faults:
        for other in faults:
            is_hidden = other is not fault and _hides(other, fault, gain, penalty)
            if is_hidden and not _hides(fault, other, gain, penalty):
                found[fault.id] = other
    return found


def _hides(other: Fault, fault: Fault, gain: bool, penalty: bool) -> bool:
    if other.spoils:
        return not fault.spoils
    if not other.cuts or fault.spoils:
        return False
    is_all_zero = not penalty and not (gain and other.site in ("law", "rollout"))
    return is_all_zero or fault.site in _PATH
