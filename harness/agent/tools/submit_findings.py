"""`submit_findings`."""

from __future__ import annotations

from typing import Any

from harness.agent import patch
from harness.agent.submission import Submission
from harness.agent.tools.base import Bench, Tool, ToolRefused, text_of
from harness.agent.tools.verify import claimed_files

NAME = "submit_findings"


def _run(bench: Bench, given: Submission) -> dict[str, Any]:
    for finding in given.findings:
        path = bench.original.existing_file(finding.file)
        lines = text_of(path, finding.file).count("\n") + 1
        if finding.line > lines:
            raise ToolRefused(f"`{finding.file}` has {lines} lines before any edit; there is no line {finding.line}.")
    if given.fix is not None:
        named = claimed_files(bench, tuple(given.fix.files))
        changed = {change.path: change for change in patch.changes(bench.original, bench.workspace, named)}
        same = [path for path in named if path not in changed]
        if same:
            raise ToolRefused(
                f"{', '.join(f'`{p}`' for p in same)}: not changed. Name only files that the fix changes."
            )
        for change in changed.values():
            if change.after is not None:
                text_of(bench.workspace.root / change.path, change.path)
    bench.submission = given
    return {"received": True, "next": "Everything is measured again now. The work is done."}


TOOL = Tool(
    NAME,
    "Hand in the result and end the work. Everything in it is measured again, and a claim that does not hold fails the "
    "run: claim what you have measured, and no more.",
    Submission,
    _run,
)
