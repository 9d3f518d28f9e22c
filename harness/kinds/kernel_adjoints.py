"""Kernels whose own adjoint is wrong: each kernel's adjoint is replaced by differences of its launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..attribute.constructs import Construct, constructs, definition_line
from ..attribute.laboratory import treatment
from . import places
from .base import Candidate

if TYPE_CHECKING:
    from ..attribute.laboratory import Laboratory


def candidates(lab: Laboratory) -> list[Candidate]:
    """One candidate per kernel on the tapes; the construct found in its source names the kind."""
    names = dict.fromkeys(e.name for e in lab.events if e.kind == "launch" and e.tape is not None)
    return [_candidate(lab, name) for name in names if name in lab.recording.environment["kernels"]]


def _candidate(lab: Laboratory, name: str) -> Candidate:
    kernel = lab.recording.environment["kernels"][name]
    is_nonfinite = any(j.check.nonfinite_count for j in lab.disagreements())
    found = constructs(kernel, lab.recording.environment["nondifferentiable"], is_nonfinite)
    construct = found[0] if found else Construct("kernel-adjoint", kernel["file"], definition_line(kernel), "")
    launch = next(e for e in lab.events if e.kind == "launch" and e.name == name)
    location = places.of_line(lab, construct.file, construct.line, name)
    if construct.file is None or not lab.source.is_users(construct.file):
        location = places.of_site(lab, launch.site)
    reason = f": {construct.why}" if construct.why else ""
    return Candidate(
        kind=construct.kind,
        treatment=treatment({"name": "numeric-adjoint", "kernels": [name]}),
        action=f"the adjoint of `{name}` replaced by differences of its launches",
        title=f"the adjoint of `{name}` is wrong",
        message=f"The adjoint of `{name}`{places.where(location)} does not differentiate what the kernel computes{reason}.",
        remedy=construct.remedy or f"Rewrite `{name}` so that Warp can differentiate it, or give it a @wp.func_grad.",
        location=location,
        related=places.related("launch", places.of_site(lab, launch.site)),
        weight=1.0 if construct.kind != "kernel-adjoint" else 0.5,
    )
