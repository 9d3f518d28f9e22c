"""The cases in the common form of ``evals.json``: prompts, files, and assertions in words for graders that read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evals.case import Case
from evals.corpus import StoredCase
from evals.workspace import SKILL_NAME

_TRIGGERS = Path(__file__).parent / "triggers.json"


def export(cases: Sequence[StoredCase]) -> dict[str, Any]:
    """The whole file as data."""
    return {
        "skill_name": SKILL_NAME,
        "evals": [*(_entry(stored) for stored in cases), *_trigger_entries()],
    }


def to_json(cases: Sequence[StoredCase]) -> str:
    """The whole file as text."""
    return json.dumps(export(cases), indent=2, ensure_ascii=False) + "\n"


def _trigger_entries() -> list[dict[str, Any]]:
    """Sentences with which the skill should be used, and others with which it should not."""
    sentences = json.loads(_TRIGGERS.read_text(encoding="utf-8"))["sentences"]
    entries = []
    for number, sentence in enumerate(sentences, 1):
        outcome = "The skill is used." if sentence["should_trigger"] else "The skill is not used."
        entries.append({
            "id": f"trigger-{number}", "prompt": sentence["text"], "expected_output": outcome, "files": [],
            "assertions": [outcome], "should_trigger": sentence["should_trigger"],
        })  # fmt: skip
    return entries


def _entry(stored: StoredCase) -> dict[str, Any]:
    case = stored.case
    return {
        "id": case.id,
        "prompt": case.prompt,
        "expected_output": _expected_output(case),
        "files": [f"cases/{case.id}/files/{name}" for name in stored.files()],
        "assertions": _assertions(stored),
        "should_trigger": True,
    }


def _expected_output(case: Case) -> str:
    if not case.expected.causes:
        remarks = ", ".join(r.kind for r in case.expected.remarks if r.required)
        told = f" and names {remarks}" if remarks else ""
        return f"Says that the gradient is {' or '.join(case.expected.verdicts)}{told}, and leaves right code alone."
    causes = "; ".join(f"{c.kind} at {c.file}:{c.lines[0]}: {c.why}" for c in case.expected.causes)
    return f"Says that the gradient is wrong and why ({causes}), and mends it without changing the forward values."


def _assertions(stored: StoredCase) -> list[str]:
    case = stored.case
    found = [f"The verdict on the program as given is {' or '.join(case.expected.verdicts)}."]
    for cause in case.expected.causes:
        lines = ", ".join(map(str, cause.lines))
        found.append(f"{cause.kind} is named, at line {lines} of {cause.file}.")
    found += [f"{r.kind} is named." for r in case.expected.remarks if r.required]
    if not case.expected.causes:
        found.append("No defect of the gradient is named.")
    if not case.truth.absent:
        found.append("The consumed gradient agrees with reference.py, also at parameter values that were never shown.")
        found.append("The forward values are those of the program as given.")
    if case.metric is not None and stored.patch:
        m = case.metric
        found.append(f"`{m.pattern}` ends {'at or below' if m.better == 'lower' else 'at or above'} {m.threshold:g}.")
    found += [f"{d.file} still contains `{d.snippet.strip().splitlines()[0]}`." for d in case.decoys]
    return found
