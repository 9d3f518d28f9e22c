"""What findings that are no defects are made of: the check they speak about, and the lines they point at."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..assess import flow
from ..schema import Evidence, Finding, Location, Related
from . import places

if TYPE_CHECKING:
    from ..assess.gradients import Judged
    from ..attribute.laboratory import Laboratory
    from ..record.events import Event


@dataclass(frozen=True)
class Expression:
    """An expression in a kernel, or in a function that a kernel calls."""

    kernel: str
    name: str
    """What the visitor called it: the builtin, or the operator."""
    location: Location


def remark(
    kind: str,
    title: str,
    message: str,
    *,
    next_step: str,
    location: Location | None,
    parameters: Sequence[str] = (),
    evidence: Sequence[Evidence] = (),
    related: Sequence[Related] = (),
    confidence: str = "measured",
) -> Finding:
    """A finding that leaves the verdict alone."""
    return Finding.model_validate(
        {
            "kind": kind,
            "confidence": confidence,
            "title": title,
            "message": message,
            "next_step": next_step,
            "location": location,
            "parameters": list(parameters),
            "evidence": list(evidence),
            "related": list(related),
        }
    )


def parameter_names(lab: Laboratory, judged: Sequence[Judged]) -> list[str]:
    """Names of the parameters behind some checks, each once."""
    return list(dict.fromkeys(lab.source.name(j.trace.buffers[0]) for j in judged))


def steps_of(lab: Laboratory, judged: Judged) -> list[flow.Step]:
    """Operations through which the objective depends on the parameter, in order."""
    last = max(b.event.seq for b in judged.consumption.backwards)
    operations = flow.window(lab.recording, judged.consumption.pause, last)
    objectives = {t.buffer for t in judged.objective.contributions}
    return flow.path(lab.recording, operations, judged.consumption.buffer, objectives)


def kernels_of(steps: Sequence[flow.Step]) -> list[str]:
    """Kernels on a path, nearest to the parameter first."""
    return list(dict.fromkeys(s.event.name for s in steps if s.event.kind.endswith("launch")))


def expressions(
    lab: Laboratory, kernels: Sequence[str], name_of: Callable[[ast.AST], str | None]
) -> Iterator[Expression]:
    """Expressions that ``name_of`` gives a name to, kernel by kernel, with the functions each one calls."""
    described: dict[str, Any] = lab.recording.environment["kernels"]
    for kernel in kernels:
        if kernel not in described:
            continue
        for unit in (described[kernel], *described[kernel]["functions"]):
            for node in _nodes(unit["source"]):
                name = name_of(node)
                line = int(unit["line"] or 1) + int(getattr(node, "lineno", 1)) - 1
                location = places.of_line(lab, unit["file"], line, unit["name"]) if name is not None else None
                if name is not None and location is not None:
                    yield Expression(kernel, name, location)


def called(node: ast.AST) -> str | None:
    """Name of a called function, without ``wp.``."""
    if not isinstance(node, ast.Call):
        return None
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)


def launch_of(lab: Laboratory, kernel: str) -> Event | None:
    """First launch of a kernel."""
    return next((e for e in lab.events if e.kind.endswith("launch") and e.name == kernel), None)


def _nodes(source: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(textwrap.dedent(source))))
    except SyntaxError:
        return []
