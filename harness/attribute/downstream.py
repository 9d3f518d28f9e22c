"""What lies behind a link that carries no gradient: the array in which it ends is judged as if it were a parameter."""

from __future__ import annotations

from dataclasses import replace

from ..schema import Finding
from .laboratory import Laboratory, Treatment, treatment
from .mended import judged_anew


def downstream(lab: Laboratory, applied: Treatment, seconds: float) -> Laboratory | None:
    """The gradients of the arrays in which held links end; None where there are none.

    Args:
        applied: what undoes the causes found so far, held links included.
        seconds: what the checks may take.
    """
    ends = {lab.event(seq).touches[index].buffer for seq, index in applied.frozen}
    allocations = sorted(
        {buffer.rpartition("#")[0] for buffer in ends if lab.recording.buffers[buffer]["requires_grad"]}
    )
    if not allocations:
        return None
    consumed = treatment({"name": "consume-gradients", "allocations": allocations})
    last = max(j.consumption.iteration for j in lab.assessment.judged)
    undone = Treatment(applied.interventions).joined(consumed)
    view = judged_anew(lab, undone, last, lambda c: c.buffer.rpartition("#")[0] in allocations, seconds)
    return None if view is None else replace(view, has_parameters=False)


def as_seen_from(lab: Laboratory, found: Finding) -> Finding:
    """A cause found behind a link, told of the parameters before it."""
    ends = ", ".join(f"`{name}`" for name in found.parameters)
    affected = dict.fromkeys(lab.source.name(j.trace.buffers[0]) for j in lab.disagreements())
    message = f"{found.message} These are derivatives with respect to {ends}, where the severed link ends."
    return found.model_copy(update={"message": message, "parameters": tuple(affected)})
