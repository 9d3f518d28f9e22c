"""Kernels whose own adjoint is wrong: what the kinds of kernel faults share.

Each kernel's adjoint is replaced by differences of its launches. If autodiff then agrees, the kernel is at fault; the
constructs in its source name the kind, and where they name several, narrower experiments choose.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..attribute.laboratory import Treatment, treatment
from ..execute.session import ExecutionFailed
from ..record.plan import Plan
from . import (
    component_reassignment,
    custom_adjoint,
    dynamic_loop,
    in_place_arithmetic,
    kernel_adjoint,
    local_array,
    missing_adjoint,
    nonfinite_adjoint,
    places,
    replay_side_effect,
    unselected_branch,
)
from .base import Breadth, Candidate
from .kernel_source import Construct, Context, Unit, depending_on, units_of, version_of

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory

# Most telling first: what is wrong whatever the values are, then what only some values make wrong.
FINITE = (
    missing_adjoint, custom_adjoint, replay_side_effect, local_array, in_place_arithmetic, dynamic_loop,
    component_reassignment, kernel_adjoint,
)  # fmt: skip
NONFINITE = (custom_adjoint, unselected_branch, nonfinite_adjoint, kernel_adjoint)


def candidates(lab: Laboratory) -> list[Candidate]:
    """One candidate per kernel on the tapes, those that make a `nan` before all others."""
    run = {e.info["of"] for e in lab.events if e.kind == "adjoint"}
    launches = [e for e in lab.events if e.kind in ("launch", "prebuilt-launch")]
    names = dict.fromkeys(e.name for e in launches if e.tape is not None or e.seq in run)
    known = [name for name in names if name in lab.recording.environment["kernels"]]
    sources = _nonfinite_sources(lab)
    return [_candidate(lab, name, sources) for name in known]


def _nonfinite_sources(lab: Laboratory) -> set[str] | None:
    """Kernels whose adjoint makes a value that is not finite; empty if none was found, None if all are finite."""
    iterations = [j.consumption.iteration for j in lab.disagreements() if j.check.nonfinite_count]
    if lab.nonfinite_under is not None:
        iterations.append(lab.nonfinite_under[0])
    if not iterations:
        return None
    lab.experiments += 1
    try:
        interventions = lab.nonfinite_under[1] if lab.nonfinite_under is not None else []
        plan = Plan(iterations=min(iterations) + 1, find_nonfinite=True, interventions=interventions)
        recording = lab.session.record(plan)
    except ExecutionFailed:
        return set()
    return {e.name for e in recording.events if "nonfinite" in e.info}


def _candidate(lab: Laboratory, name: str, sources: set[str] | None) -> Candidate:
    """``sources``: as `_nonfinite_sources` gives them."""
    is_source = sources is not None and name in sources
    is_nonfinite = is_source or sources == set()
    found = constructs(lab.recording.environment, name, is_nonfinite)
    candidate = _named(lab, name, found[0], found)
    candidate.makes_nonfinite = is_source
    is_ambiguous = len({c.kind for c in found} - {kernel_adjoint.NAME}) > 1
    candidate.refine = functools.partial(_refined, lab, name, found) if is_ambiguous else None
    is_named = found[0].kind != kernel_adjoint.NAME
    if not is_nonfinite and not (is_named and sources is None):
        candidate.breadth = Breadth.ANY_ADJOINT
    candidate.weight = 1.0 if is_named else 0.5
    return candidate


def constructs(environment: dict[str, Any], name: str, is_nonfinite: bool) -> list[Construct]:
    """What the kernel and the functions it calls contain, most telling first; never empty."""
    kernel = environment["kernels"][name]
    context = Context(frozenset(environment["nondifferentiable"]), int(kernel["max_unroll"]), version_of(environment))
    units = units_of(kernel)
    order = NONFINITE if is_nonfinite else FINITE
    found = [c for kind in order for unit in units for c in kind.find(unit, context)]
    return found or [Construct(kernel_adjoint.NAME, kernel["file"], kernel["line"], "", "Give it a @wp.func_grad.")]


def _named(
    lab: Laboratory, name: str, construct: Construct, found: Sequence[Construct], own: bool = False
) -> Candidate:
    """The candidate as one of its constructs explains it; ``own``: with the treatment of that construct alone."""
    alike = [c for c in found if (c.kind, c.file) == (construct.kind, construct.file) and c.line != construct.line]
    launch = next(e for e in lab.events if e.kind in ("launch", "prebuilt-launch") and e.name == name)
    location = places.of_line(lab, construct.file, construct.line, name)
    if construct.file is None or not lab.source.is_users(construct.file):
        location = places.of_site(lab, launch.site)
    reason = f": {construct.why}" if construct.why else ""
    is_narrow = own and construct.treatment is not None
    return Candidate(
        kind=construct.kind,
        treatment=construct.treatment if is_narrow and construct.treatment else _numeric(name),
        action=construct.action if is_narrow else f"the adjoint of `{name}` replaced by differences of its launches",
        title=f"the adjoint of `{name}` is wrong",
        message=f"The adjoint of `{name}`{places.where(location)} is not that of what the kernel computes{reason}."
        + (f" The same stands in {_lines(alike)}." if alike else ""),
        remedy=construct.remedy,
        location=location,
        related=[
            *(r for c in alike for r in places.related("the same", places.of_line(lab, c.file, c.line, name))),
            *places.related("launch", places.of_site(lab, launch.site)),
        ],
        breadth=Breadth.ADJOINT,
    )


def _lines(constructs: Sequence[Construct]) -> str:
    lines = [str(line) for line in sorted({c.line for c in constructs if c.line is not None})]
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(lines[:-1])} and {lines[-1]}"


def _numeric(name: str) -> Treatment:
    return treatment({"name": "numeric-adjoint", "kernels": [name]})


# --- several constructs in one kernel ---------------------------------------------------------------------------------
def _refined(lab: Laboratory, name: str, found: Sequence[Construct], judged: Judged, held: Treatment) -> Candidate:
    """The kernel is at fault: which of its constructs is it?

    A construct that alone makes the difference is chosen, one that makes none is left out. Among those that no
    experiment can undo alone, what works on an input whose gradient is wrong comes first.
    """
    remaining = []
    for construct in found:
        if construct.treatment is None:
            remaining.append(construct)
            continue
        if not lab.changes(judged, held, construct.treatment):
            continue
        if lab.agrees(judged, held.joined(construct.treatment)):
            return _named(lab, name, construct, found, own=True)
        remaining.append(construct)
    if len({c.kind for c in remaining} - {kernel_adjoint.NAME}) > 1:
        remaining = _on_wrong_inputs(lab, name, remaining) or remaining
    return _named(lab, name, (remaining or list(found))[0], found)


def _on_wrong_inputs(lab: Laboratory, name: str, found: Sequence[Construct]) -> list[Construct]:
    """Constructs of the kernel itself that use an input with respect to which single launches disagree."""
    from ..assess.local import check_launches, sampled

    launches = sampled([e for e in lab.events if e.kind == "launch" and e.name == name and e.tape is not None])
    checks = check_launches(lab.session, lab.recording, [e.seq for e in launches], lab.session.limits.seconds)
    pairs = [p for c in checks.values() for p in c.pairs]
    wrong = {i.split(".")[0] for p in pairs if p.check.status == "disagrees" for i in p.inputs}
    right = {i.split(".")[0] for p in pairs if p.check.status == "agrees" for i in p.inputs} - wrong
    if not wrong or not right:
        return []
    kernel = next((u for u in units_of(lab.recording.environment["kernels"][name]) if u.is_kernel), None)
    return [c for c in found if kernel is None or _touches(kernel, c, frozenset(wrong))]


def _touches(kernel: Unit, construct: Construct, inputs: frozenset[str]) -> bool:
    is_inside = construct.unit == kernel.name and bool(construct.names)
    return not is_inside or bool(construct.names & depending_on(kernel, inputs))
