"""Scripted agents whose scores are known beforehand: 1, 0, and low. They show that the scorer measures something."""

from __future__ import annotations

import json
import re
from typing import Any

from evals.agents.base import Agent, Assignment, Work
from evals.validate import fixed_texts
from evals.workspace import write_texts

_ALLOCATION = re.compile(r"\bwp\.(?:zeros|empty|full|array|zeros_like|empty_like|clone)\((?!dtype|.*requires_grad)")


class ReferenceFix:
    """Hands in the reference fix and the expected findings: scores 1 everywhere, or a case is wrong."""

    mends = True

    def work(self, assignment: Assignment) -> Work:
        """Apply the fix."""
        expected = assignment.stored.case.expected
        write_texts(assignment.stored, fixed_texts(assignment.stored), assignment.workspace)
        findings: list[dict[str, Any]] = [
            {"kind": c.kind, "location": {"file": c.file, "line": c.lines[0]}} for c in expected.causes
        ]
        for remark in expected.remarks:
            place = {"file": remark.places[0].file, "line": remark.places[0].lines[0]} if remark.places else None
            findings.append({"kind": remark.kind, "location": place})
        return _work(expected.verdict, findings, {"fixed": True, "verified": True, "forward_unchanged": True})


class Nothing:
    """Does nothing and says nothing: scores 0 everywhere."""

    mends = True

    def work(self, assignment: Assignment) -> Work:
        """Nothing."""
        return Work(None)


class BlameRequiresGrad:
    """Whatever the program: blames the first array without ``requires_grad``, gives it to all, and says it is done."""

    mends = True

    def work(self, assignment: Assignment) -> Work:
        """Edit every allocation of the entry script."""
        entry = assignment.stored.case.entry
        path = assignment.workspace / entry
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        changed = [i for i, line in enumerate(lines) if _ALLOCATION.search(line) and line.rstrip().endswith(")")]
        for i in changed:
            lines[i] = re.sub(r"\)(\s*)$", r", requires_grad=True)\1", lines[i])
        path.write_text("".join(lines), encoding="utf-8")
        place = {"file": entry, "line": (changed or [0])[0] + 1}
        claims = {"fixed": True, "verified": True, "forward_unchanged": True}
        return _work("wrong", [{"kind": "severed-chain", "location": place}], claims)


def _work(verdict: str, findings: list[dict[str, Any]], claims: dict[str, bool]) -> Work:
    return Work(json.dumps({"verdict": verdict, "findings": findings, "claims": claims}))


CALIBRATORS: dict[str, type[Agent]] = {
    "fix": ReferenceFix,
    "nothing": Nothing,
    "blame-requires-grad": BlameRequiresGrad,
}
