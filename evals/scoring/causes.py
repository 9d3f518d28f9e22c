"""Are the right causes named, and no others."""

from __future__ import annotations

from dataclasses import dataclass

from evals.case import Case, ExpectedCause, Lines
from evals.result import CauseOutcome, NamedFinding, ScoredCheck
from evals.scoring.handed_in import HandedFinding, HandedIn
from harness.schema.vocabulary import DEFECT_KINDS, NON_DEFECT_KINDS


@dataclass(frozen=True)
class Matched:
    """Findings and expected causes, brought together."""

    findings: tuple[NamedFinding, ...]
    causes: tuple[CauseOutcome, ...]
    missing_remarks: tuple[str, ...]


def match(case: Case, handed_in: HandedIn) -> Matched:
    """Which finding names which cause, and whether it points at the right place."""
    given = handed_in.findings.findings if handed_in.findings is not None else ()
    expected = case.expected
    findings = [_named(case, finding) for finding in given]
    causes = [
        CauseOutcome(
            kind=cause.kind,
            is_hidden=cause.hidden_behind is not None,
            named=any(_names(cause, f) for f in given),
            placed=any(_names(cause, f) and _hits(_places(cause), f) for f in given),
        )
        for cause in expected.causes
    ]
    named_kinds = {f.kind for f in given}
    missing = tuple(r.kind for r in expected.remarks if r.required and r.kind not in named_kinds)
    return Matched(tuple(findings), tuple(causes), missing)


def score(case: Case, handed_in: HandedIn, matched: Matched) -> ScoredCheck:
    """The harmonic mean of precision and recall.

    Hidden causes need not be named. Remarks that nobody asked for cost nothing; an unknown kind counts as a defect.
    """
    if handed_in.findings is None:
        return ScoredCheck(name="causes", part="causes", value=0.0, detail=handed_in.problem)
    required = [c.named for c in matched.causes if not c.is_hidden]
    required_remarks = [r for r in case.expected.remarks if r.required]
    wanted = len(required) + len(required_remarks)
    found = sum(required) + len(required_remarks) - len(matched.missing_remarks)
    claimed = [f for f in matched.findings if f.is_right or f.is_false_defect]
    recall = found / wanted if wanted else 1.0
    precision = sum(f.is_right for f in claimed) / len(claimed) if claimed else 1.0
    value = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    named = ", ".join(f.kind for f in matched.findings) or "none"
    return ScoredCheck(
        name="causes", part="causes", value=value,
        detail=f"named {named}; precision {precision:.2f}, recall {recall:.2f}",
    )  # fmt: skip


def _named(case: Case, finding: HandedFinding) -> NamedFinding:
    causes = [c for c in case.expected.causes if _names(c, finding)]
    remarks = [r for r in case.expected.remarks if r.kind == finding.kind]
    places = [place for c in causes for place in _places(c)] + [place for r in remarks for place in r.places]
    is_right = bool(causes or remarks)
    place = finding.location
    return NamedFinding(
        kind=finding.kind,
        file=place.file if place else "",
        line=place.line if place else 0,
        is_right=is_right,
        is_placed=is_right and _hits(places, finding),
        is_false_defect=not is_right and (finding.kind in DEFECT_KINDS or finding.kind not in NON_DEFECT_KINDS),
    )


def _names(cause: ExpectedCause, finding: HandedFinding) -> bool:
    return finding.kind == cause.kind or finding.kind in cause.also_kinds


def _places(cause: ExpectedCause) -> list[Lines]:
    return [cause, *cause.elsewhere]


def _hits(places: list[Lines], finding: HandedFinding) -> bool:
    place = finding.location
    if place is None:
        return False
    return any(_same_file(p.file, place.file) and not set(p.lines).isdisjoint(place.lines()) for p in places)


def _same_file(expected: str, given: str) -> bool:
    """Places may be given relative to the workspace, to the script's folder, or absolute."""
    given = given.replace("\\", "/").removeprefix("./")
    return given == expected or expected.endswith(f"/{given}") or given.endswith(f"/{expected}")
